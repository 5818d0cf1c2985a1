// SPDX-License-Identifier: Apache-2.0
// Virtual.java - virtual threads that compute, park, yield and call deep: frames mounted, thawed lazily, frozen again.
// Arguments: seconds, threads. JDK 21 and later.
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;

public class Virtual {
    static final AtomicLong sum = new AtomicLong();

    static int deep(int n) { return n == 0 ? park() : 1 + deep(n - 1); }

    static int park() {
        Thread.yield();
        return Work.fib(12);
    }

    static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int n) {
        return n == 0 ? park() + a + b + c + d + e + f + g + h + i + j : many(b, c, d, e, f, g, h, i, j, a, n - 1);
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L;
        int n = Integer.parseInt(args[1]);
        byte[] data = new byte[2000];
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int t = 0; t < n; t++) {
                int id = t;
                pool.submit(() -> {
                    for (int i = 0; System.nanoTime() < end; i++) {
                        sum.addAndGet(deep(20 + id % 30) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12));
                        if (i % 50 == 0) Work.round(i, data);
                        if (i % 16 == 0) Thread.sleep(1);
                    }
                    return null;
                });
            }
        }
    }
}
