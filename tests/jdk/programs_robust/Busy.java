import java.util.concurrent.CountDownLatch;

/**
 * Busy THREADS DEPTH MS: threads that keep the processors busy, DEPTH calls deep. They begin when all are there.
 * SPDX-License-Identifier: Apache-2.0
 */
public class Busy {
    static volatile long sink;

    static long down(int depth, long end) {
        if (depth > 0)
            return down(depth - 1, end) + 1;
        long sum = 0;
        while (System.nanoTime() < end)
            for (int i = 0; i < 1000; i++)
                sum += i ^ sum << 3;
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        int depth = Integer.parseInt(args[1]);
        long workNs = Long.parseLong(args[2]) * 1000000;
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        CountDownLatch all = new CountDownLatch(threads.length);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    return;
                }
                sink += down(depth, System.nanoTime() + workNs);
            });
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
    }
}
