/*
 * A thread that waits for a monitor that main holds, one that waits in it for 100 ms, one that sleeps, and one that works, until
 * the file "done" is there. SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;

public class Others {
    static final Object LOCK = new Object();
    static volatile long sink;

    static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void work() {
        while (true)
            for (int i = 0; i < 1000; i++)
                sink += i * 31L;
    }

    public static void main(String[] args) throws Exception {
        daemon("sleeper", () -> sleep(1000000));
        daemon("worker", Others::work);
        synchronized (LOCK) {
            LOCK.wait(100);
        }
        synchronized (LOCK) {
            daemon("contender", () -> {
                synchronized (LOCK) {
                    sink++;
                }
            });
            Thread.sleep(500);
        }
        while (!new File("done").exists())
            Thread.sleep(20);
        System.out.println("ended");
    }
}
