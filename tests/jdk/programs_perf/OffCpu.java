// SPDX-License-Identifier: Apache-2.0
import java.io.File;

/** A thread that is woken 20 times by main, which sleeps 30 ms before each time, when the thread waits. It is there to the end. */
public class OffCpu {
    static final Object LOCK = new Object();
    static int woken;

    static void waits() {
        try {
            synchronized (LOCK) {
                for (int seen = 0;; seen++)
                    while (woken == seen)
                        LOCK.wait();
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static void awaitWait(Thread waiter) throws InterruptedException {
        while (waiter.getState() != Thread.State.WAITING)
            Thread.sleep(1);
    }

    static void wakes(Thread waiter) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            awaitWait(waiter);
            Thread.sleep(30);
            synchronized (LOCK) {
                woken++;
                LOCK.notify();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("up");
        while (!new File("go").exists())
            Thread.sleep(1);
        Thread waiter = new Thread(OffCpu::waits, "waiter");
        waiter.setDaemon(true);
        waiter.start();
        wakes(waiter);
        awaitWait(waiter);
        System.out.println("done");
        Thread.sleep(600000);
    }
}
