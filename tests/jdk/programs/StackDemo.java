import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Threads in each state, for test_stack.py; none of them moves once "ready" is printed, but "spinner". */
public class StackDemo {
    static final Object A = new Object(), B = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final CountDownLatch entered = new CountDownLatch(2);
    static volatile double sink;

    static int deep(int n, Runnable last) {
        if (n == 0) {
            last.run();
            return 0;
        }
        return 1 + deep(n - 1, last);
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(Object o, long ms) {
        synchronized (o) {
            try {
                o.wait(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Says "ready" when the last of the others waits, and is then the one that runs. */
    static void spin(Thread last) {
        until(Thread.State.WAITING, last);
        System.out.println("ready");
        while (true) {
            sink = sink * 0.5 + 1;
        }
    }

    static void holdBoth() {
        synchronized (B) {
            LOCK.lock();
            sleep(1000000);
        }
    }

    static void enter(Object first, Object second) {
        synchronized (first) {
            entered.countDown();
            while (entered.getCount() > 0) {
                sleep(1);
            }
            synchronized (second) {
                sleep(1);
            }
        }
    }

    static void take() {
        try {
            new LinkedBlockingQueue<String>().take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.setPriority(name.length() % 10 + 1);
        thread.start();
        return thread;
    }

    /** Exactly this state: on its way there a thread may be blocked for a moment, by the loading of a class. */
    static void until(Thread.State state, Thread... threads) {
        for (Thread thread : threads) {
            while (thread.getState() != state) {
                sleep(1);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        until(Thread.State.TIMED_WAITING, start("sleeper", () -> deep(50, () -> sleep(1000000))),
              start("timed waiter", () -> await(A, 1000000)), start("holder", StackDemo::holdBoth));
        until(Thread.State.WAITING, start("waiter \u00e4\u20ac", () -> await(A, 0)),
              start("parked", () -> LockSupport.park(A)), start("queue", StackDemo::take));
        synchronized (A) { // the states are there before the monitor is given back
        }
        until(Thread.State.BLOCKED, start("blocked", () -> enter(B, A)));
        until(Thread.State.WAITING, start("locked out", LOCK::lock));
        if (args.length > 0 && args[0].equals("deadlock")) {
            Object x = new Object(), y = new Object();
            Thread first = start("dead 1", () -> enter(x, y)), second = start("dead 2", () -> enter(y, x));
            until(Thread.State.BLOCKED, first, second);
        }
        Thread main = Thread.currentThread();
        start("spinner", () -> spin(main));
        main.join();
    }
}
