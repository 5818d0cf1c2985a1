// SPDX-License-Identifier: Apache-2.0

/** Virtual threads that allocate, each below so many calls of its own, and give way in between. Argument: MB of each. */
public class AllocatesVirtual {
    static final int DEPTH = 8, THREADS = 8;
    static volatile Object sink;

    static void level(int n, long bytes) {
        if (n > 0) {
            level(n - 1, bytes);
            return;
        }
        for (long i = bytes / 1040; i > 0; i--) {
            sink = new byte[1024];
            if (i % 1000 == 0)
                Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        long bytes = Long.parseLong(args[0]) << 20;
        Thread[] threads = new Thread[THREADS];

        for (int i = 0; i < THREADS; i++)
            threads[i] = Thread.ofVirtual().name("virtual" + i).start(() -> level(DEPTH - 1, bytes));
        for (Thread thread : threads)
            thread.join();
    }
}
