// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;

/**
 * Makes objects that nobody can reach: of each kind as many as the arguments say, by as many threads. Arguments: objects of a
 * thread; threads; how long to sleep, ms.
 */
public class HeapGarbage {
    static class Dead {
        final int number;
        final Dead before;
        final String text;

        Dead(int number, Dead before) {
            this.number = number;
            this.before = before;
            this.text = "dead " + number;
        }
    }

    static class Alive {
        final int number;

        Alive(int number) {
            this.number = number;
        }
    }

    static Alive[] kept;

    static void make(int count, int from) {
        Dead last = null;
        for (int i = 0; i < count; i++) {
            last = new Dead(i, i % 10 == 0 ? null : last);
            Object[] array = {last, new long[i % 7], new Object[0]};
            if (array.length != 3)
                System.out.println();
            if (i % 100 == 0)
                kept[from + i / 100] = new Alive(from + i / 100);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]), threads = Integer.parseInt(args[1]);
        int each = (count + 99) / 100;
        kept = new Alive[threads * each];
        CountDownLatch done = new CountDownLatch(threads), end = new CountDownLatch(1);
        for (int t = 0; t < threads; t++) {
            int from = t * each;
            Thread thread = new Thread(() -> {
                make(count, from);
                done.countDown();
                try {
                    end.await(); // with its allocation buffer half full
                } catch (InterruptedException e) {
                    return;
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        done.await();
        long[] big = new long[600_000];
        big[0] = 12345;
        big[599_999] = 54321;
        big = null;
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[2]));
    }
}
