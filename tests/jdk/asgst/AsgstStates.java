import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Threads in each state, for state_test.c, and calls of its C functions; prints as AsgstApi does. */
public class AsgstStates {
    static native void enter(int number);
    static native String compare(Thread[] threads, int[] states);
    static native String chain(boolean bySignal);
    static native String chainOfThread();

    interface Body {
        void run() throws Exception;
    }

    static volatile boolean isDone;
    static long sink;
    static final Object lock = new Object(), held = new Object();

    static void waitFor(long ms) throws Exception {
        synchronized (lock) {
            while (!isDone)
                lock.wait(ms);
        }
    }

    static void park(long ms) {
        while (!isDone) {
            if (ms == 0)
                LockSupport.park();
            else
                LockSupport.parkNanos(ms * 1000000);
        }
    }

    static void spin() {
        long x = 1;
        while (!isDone)
            x = x * 31 + 7;
        sink = x;
    }

    static void sleep() {
        try {
            Thread.sleep(1000000);
        } catch (InterruptedException e) {
            // the end
        }
    }

    static void block() {
        synchronized (held) {
            isDone |= held == null;
        }
    }

    static void say(String name, String why) {
        System.out.println(why == null ? "ok " + name : "not ok " + name + ": " + why.replace('\n', ' '));
    }

    static Thread start(int number, Body body) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            enter(number);
            entered.countDown();
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        entered.await();
        return thread;
    }

    static String states() throws Exception {
        Thread[] threads = {
            start(0, () -> park(0)), start(1, () -> park(1000000)), start(2, AsgstStates::sleep),
            start(3, () -> waitFor(0)), start(4, () -> waitFor(1000000)), start(5, AsgstStates::block),
            start(6, () -> {
                Thread.currentThread().interrupt();
                spin();
            }),
            start(7, AsgstStates::spin),
        };
        return compare(threads, new int[] {0x291, 0x2a1, 0xe1, 0x191, 0x1a1, 0x401, 0x200005, 0x5});
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        synchronized (held) {
            say("states", states());
            System.gc();
            say("states after a collection", states());
            isDone = true;
        }
        say("C frames from a context", chain(false));
        say("C frames from a signal", chain(true));
        say("C frames of a thread", chainOfThread());
    }
}
