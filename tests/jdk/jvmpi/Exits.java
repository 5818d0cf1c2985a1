/*
 * Threads that hold a monitor until another thread wants to have it, and then give it back, each in a way of its own, which is its
 * name. SPDX-License-Identifier: Apache-2.0
 */
public class Exits {
    private static volatile Thread rival;
    private static volatile int sink;
    static volatile boolean isAwaited;    // set by the agent

    static void awaitRival(Object lock) {
        rival = new Thread(() -> {
            synchronized (lock) {
                sink++;
            }
        }, "rival");
        isAwaited = false;
        rival.start();
        while (!isAwaited)
            Thread.yield();
    }

    static class Own {
        synchronized void method() {
            awaitRival(this);
        }

        synchronized int throwing(int[] none) {
            awaitRival(this);
            return none[0];
        }

        static synchronized long ofClass() {
            awaitRival(Own.class);
            return sink;
        }
    }

    static void block(Object lock) {
        synchronized (lock) {
            awaitRival(lock);
        }
    }

    static void nested(Object lock) {
        synchronized (lock) {
            awaitRival(lock);
            synchronized (lock) {
                sink++;
            }
        }
    }

    static void leftByException(Object lock) {
        int[] none = null;
        synchronized (lock) {
            awaitRival(lock);
            sink = none[0];
        }
    }

    static void waits(Object lock) {
        synchronized (lock) {
            awaitRival(lock);
            try {
                lock.wait(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /* So deep that calls within the monitor overflow the stack, at a place that differs with each depth. */
    static int overflows(Object lock, int depth) {
        synchronized (lock) {
            sink++;
        }
        return overflows(lock, depth + 1) + 1;
    }

    /* The owner lives on until the rival has had the monitor. */
    static void run(String name, Runnable work) throws InterruptedException {
        Thread owner = new Thread(() -> {
            try {
                work.run();
            } catch (NullPointerException | StackOverflowError expected) {
                sink++;
            }
            while (rival.isAlive())
                Thread.yield();
        }, name);
        owner.start();
        owner.join();
    }

    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        run("block", () -> block(lock));
        run("method", () -> new Own().method());
        run("class", () -> Own.ofClass());
        run("throwing method", () -> new Own().throwing(null));
        run("nested blocks", () -> nested(lock));
        run("block that throws", () -> leftByException(lock));
        run("waits", () -> waits(lock));
        for (int i = 0; i < 20; i++)
            run("deep", () -> overflows(lock, 0));
        System.out.println("done");
    }
}
