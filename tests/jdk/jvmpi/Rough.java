/*
 * What the agent rough.c needs: "wait" waits until the file "done" is there; "monitors" has a thread in wait() and three
 * that enter the monitor one after the other; "ends" starts 200 short threads, and ends while another goes on;
 * "points" makes objects that a compiler can do without, and says over().
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class Rough {
    static final Object LOCK = new Object();
    static volatile Object last;
    static boolean isOver;
    static final CountDownLatch entered = new CountDownLatch(3);

    final int number;

    Rough(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static void work() {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            Rough made = new Rough(i);
            sum += made.number();
            last = made;
        }
        last = Integer.valueOf(sum);
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void workOn() {
        while (true)
            work();
    }

    static void awaitEnd() {
        synchronized (LOCK) {
            while (!isOver)
                try {
                    LOCK.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
        }
    }

    static void enter() {
        synchronized (LOCK) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        entered.countDown();
        LockSupport.park(); // a thread that has ended would be named by nobody
    }

    static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state)
            Thread.sleep(5);
    }

    static void monitors() throws InterruptedException {
        Thread waiter = daemon("waiter", Rough::awaitEnd);
        awaitState(waiter, Thread.State.WAITING);
        Thread[] all = new Thread[3];
        synchronized (LOCK) {
            for (int i = 0; i < all.length; i++) {
                all[i] = daemon("enterer " + i, Rough::enter);
                awaitState(all[i], Thread.State.BLOCKED);
            }
        }
        entered.await();
    }

    static class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    static int sum(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += i % 64 == 0 ? new Point(i).x : i; // hot long before as many points are made
        return sum;
    }

    static void over() {
    }

    static void points() {
        int sum = 0;
        for (int i = 0; i < 400; i++)
            sum += sum(6400);
        last = sum;
        over();
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("monitors"))
            monitors();
        if (args[0].equals("points"))
            points();
        if (args[0].equals("wait") || args[0].equals("points")) {
            while (!new File("done").exists())
                Thread.sleep(10);
        }
        if (args[0].equals("ends")) {
            daemon("long", Rough::workOn);
            for (int i = 0; i < 200; i++) {
                Thread thread = new Thread(Rough::work, "short");
                thread.start();
                thread.join();
            }
        }
        System.out.println("ended");
    }
}
