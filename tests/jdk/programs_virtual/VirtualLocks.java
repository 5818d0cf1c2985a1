// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads with monitors, and a platform thread: "one" and "two" in a deadlock, "waiter" in Object.wait(), "quiet"
 * and "holder" parked with a monitor each, "platform" blocked at holder's. With an argument a collection comes last.
 */
public class VirtualLocks {
    static class First {}
    static class Second {}
    static class Awaited {}
    static class Quiet {}
    static class Held {}

    static final Object first = new First(), second = new Second(), awaited = new Awaited(), quiet = new Quiet(), held = new Held();

    static void both(Object mine, Object other, CountDownLatch both) {
        synchronized (mine) {
            both.countDown();
            try { both.await(); } catch (InterruptedException e) { throw new IllegalStateException(e); }
            synchronized (other) { throw new IllegalStateException("no deadlock"); }
        }
    }

    static void park(Object lock) {
        synchronized (lock) {
            while (true)
                LockSupport.park();
        }
    }

    static void await(Object lock) {
        synchronized (lock) {
            try { lock.wait(); } catch (InterruptedException e) { throw new IllegalStateException(e); }
        }
    }

    static void reach(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state)
            Thread.sleep(1);
    }

    static Thread start(String name, Runnable body) { return Thread.ofVirtual().name(name).start(body); }

    public static void main(String[] args) throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        Thread one = start("one", () -> both(first, second, both)), two = start("two", () -> both(second, first, both));
        Thread waiter = start("waiter", () -> await(awaited));
        Thread[] parked = {start("quiet", () -> park(quiet)), start("holder", () -> park(held))};
        for (Thread thread : parked)
            reach(thread, Thread.State.WAITING);
        Thread platform = Thread.ofPlatform().name("platform").daemon().start(() -> { synchronized (held) { both.countDown(); } });
        reach(one, Thread.State.BLOCKED);
        reach(two, Thread.State.BLOCKED);
        reach(waiter, Thread.State.WAITING);
        reach(platform, Thread.State.BLOCKED);
        if (args.length > 0)
            System.gc();
        System.out.println("ready");
        Thread.sleep(1_000_000_000L);
    }
}
