// SPDX-License-Identifier: Apache-2.0

/**
 * A virtual thread that comes back deep down, again and again, and is deoptimised there, in the frame whose callers are
 * still in the heap. Run with FLAGS of test_frozen_frames.py: compiled code then keeps its trap. Argument: how often.
 */
public class Deopts {
    /** So many frames do not all come back at once. */
    static final int DEPTH = 80;
    static volatile int big;
    static volatile long sink;

    static void enter(int n) {
        down(n);
        sink++;
    }

    static void down(int n) {
        if (n > 0)
            other(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, n);
        else
            comeBack();
        sink++;
    }

    /** More arguments than there are registers for them. */
    static void other(int n, long a, long b, long c, long d, long e, long f, long g, long h, long i, int same) {
        if (a + b + c + d + e + f + g + h + i != 45 || same != n + 1)
            throw new AssertionError();
        down(n);
        sink++;
    }

    static void comeBack() {
        Thread.yield();
        trap();
    }

    static void trap() {
        try {
            sink += Math.addExact(Integer.MAX_VALUE, big);
        } catch (ArithmeticException e) {
            sink++;
        }
    }

    static void run(int times) {
        for (int i = 0; i < 30_000; i++) // compiles the way down
            enter(20);
        big = 1;
        for (int i = 0; i < times; i++)
            enter(DEPTH);
    }

    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().start(() -> run(Integer.parseInt(args[0]))).join();
    }
}
