// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that parks deep down, comes back and burns CPU time there: all frames but the innermost ones stay in
 * the heap meanwhile. Arguments: how many ms of CPU time, depth, "garbage" for a second thread that keeps the collector
 * at work.
 */
public class Frozen {
    static volatile Object kept;
    static volatile long sink;
    static volatile boolean done;
    static int rounds;

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
        LockSupport.parkNanos(5_000_000L);
        burn();
    }

    static void burn() {
        for (int i = 0; i < rounds; i++)
            sink = spin(sink);
    }

    static long spin(long x) {
        for (int i = 0; i < 10_000; i++)
            x = x * 31 + i;
        return x;
    }

    static void makeGarbage() {
        while (!done) {
            Object[] list = new Object[1000];
            for (int i = 0; i < list.length; i++)
                list[i] = new byte[100];
            kept = list;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3000; i++) { // compiles the way down
            Thread warm = Thread.ofVirtual().unstarted(() -> enter(4));
            warm.start();
            if (i % 100 == 0)
                warm.join();
        }
        long one = Long.MAX_VALUE;
        for (int i = 0; i < 3000; i++) {
            long from = System.nanoTime();
            sink = spin(sink);
            one = Math.max(1, Math.min(one, System.nanoTime() - from));
        }
        rounds = (int) (Long.parseLong(args[0]) * 1_000_000 / one);
        int depth = Integer.parseInt(args[1]);
        Thread frozen = Thread.ofVirtual().start(() -> enter(depth));
        if (args.length > 2)
            Thread.ofPlatform().start(Frozen::makeGarbage);
        frozen.join();
        done = true;
    }
}
