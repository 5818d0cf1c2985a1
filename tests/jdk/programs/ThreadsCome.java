// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that begin and end all the time, and contend for locks meanwhile, until there is a file "over". Argument: so many at one time. */
public class ThreadsCome {
    static final AtomicLong ENDED = new AtomicLong();
    static final Object[] LOCKS = {new Object(), new Object(), new Object()};
    static volatile boolean over;

    static final class Kept {
        final long number;

        Kept(long number) {
            this.number = number;
        }
    }

    static void live(int which) {
        Kept[] kept = new Kept[100];
        for (int i = 0; i < kept.length; i++)
            kept[i] = new Kept(i);
        synchronized (LOCKS[which % LOCKS.length]) {
            for (Kept k : kept)
                ENDED.addAndGet(k.number % 2);
        }
    }

    static void make(int which) {
        for (int i = 0; !over; i++) {
            Thread brief = new Thread(() -> live(which), "brief-" + which + "-" + i);
            brief.start();
            if (i % 3 == 0) {
                try {
                    brief.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] makers = new Thread[Integer.parseInt(args[0])];
        for (int i = 0; i < makers.length; i++) {
            int which = i;
            makers[i] = new Thread(() -> make(which), "maker-" + i);
            makers[i].start();
        }
        System.out.println("ready");
        while (!new File("over").exists())
            Thread.sleep(20);
        over = true;
        for (Thread maker : makers)
            maker.join();
        System.out.println("done " + ENDED.get());
    }
}
