/*
 * Four threads call methods and make objects until the file "done" is there. SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;

public class Busy {
    static volatile boolean isOver;
    static volatile Object sink;

    static int add(int a, int b) {
        return a + b;
    }

    static void work() {
        int sum = 0;
        while (!isOver) {
            for (int i = 0; i < 100; i++)
                sum = add(sum, i);
            sink = new int[sum & 7];
            Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(Busy::work);
            all[i].start();
        }
        System.out.println("begun");
        while (!new File("done").exists())
            Thread.sleep(20);
        isOver = true;
        for (Thread thread : all)
            thread.join();
        System.out.println("ended");
    }
}
