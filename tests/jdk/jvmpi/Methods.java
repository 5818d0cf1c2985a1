/*
 * Calls with known numbers, in two threads: recursion, constructors, exceptions that pass frames with and without handlers, and
 * one that ends a thread. An argument is a file: the program runs on until it is there.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;

public class Methods {
    final int number;

    Methods(int number) {
        this.number = number;
    }

    int self() {
        return number;
    }

    static int recurse(int depth) {
        return depth == 0 ? 0 : 1 + recurse(depth - 1);
    }

    static void fail(int depth) {
        if (depth == 0)
            throw new IllegalStateException("expected");
        fail(depth - 1);
    }

    static int passes(int depth) {
        try {
            fail(depth);
            return 0;
        } catch (NullPointerException e) {
            return 1;
        }
    }

    static int catches(int depth) {
        try {
            return passes(depth);
        } catch (IllegalStateException e) {
            return recurse(1);
        }
    }

    static void work() {
        for (int i = 0; i < 1000; i++) {
            recurse(9);
            new Methods(i).self();
            if (i % 10 == 0)
                catches(4);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(Methods::work);
        other.start();
        work();
        other.join();
        Thread failing = new Thread(() -> fail(2));
        failing.setUncaughtExceptionHandler((thread, thrown) -> { });
        failing.start();
        failing.join();
        while (args.length > 0 && !new File(args[0]).exists())
            work();
        System.out.println("done");
    }
}
