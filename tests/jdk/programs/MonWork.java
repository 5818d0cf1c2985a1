import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

// Contention that is known: who waits for whom, how often, and by a clock of its own how long.
public class MonWork {
    static class Gate { }
    static class Bell { }
    static class Left { }
    static class Right { }
    static class Blocker { }

    static final AtomicLong waited = new AtomicLong();
    static volatile boolean done;

    static void ms(String what, long ns) {
        System.out.println(what + " " + ns / 1000000.0);
    }

    static Thread start(boolean virtual, String name, Runnable body) throws Exception {
        if (!virtual) {
            Thread thread = new Thread(body, name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        type.getMethod("name", String.class).invoke(builder, name);
        return (Thread) type.getMethod("start", Runnable.class).invoke(builder, body);
    }

    static void until(List<Thread> threads, Thread.State state) throws Exception {
        for (Thread thread : threads)
            while (thread.getState() != state)
                Thread.sleep(1);
    }

    static void join(List<Thread> threads) throws Exception {
        for (Thread thread : threads)
            thread.join();
    }

    static void enter(Gate gate) {
        long start = System.nanoTime();
        synchronized (gate) {
            waited.addAndGet(System.nanoTime() - start);
        }
    }

    // All of them are blocked at once; prints how long that was, and how long they waited in all.
    static void contend(boolean virtual, int count, int holdMs) throws Exception {
        final Gate gate = new Gate();
        List<Thread> threads = new ArrayList<Thread>();
        long start;
        waited.set(0);
        synchronized (gate) {
            for (int i = 0; i < count; i++)
                threads.add(start(virtual, "contender-" + i, () -> enter(gate)));
            until(threads, Thread.State.BLOCKED);
            start = System.nanoTime();
            Thread.sleep(holdMs);
            start = System.nanoTime() - start;
        }
        join(threads);
        ms("held", start);
        ms("waited", waited.get());
    }

    // One thread wants what another has, one is parked, until somebody says that it is enough.
    static void held() throws Exception {
        final Gate gate = new Gate();
        Thread parker = start(false, "parker", () -> park(true)), contender;
        synchronized (gate) {
            contender = start(false, "contender", () -> enter(gate));
            until(Arrays.asList(contender), Thread.State.BLOCKED);
            until(Arrays.asList(parker), Thread.State.WAITING);
            System.out.println("blocked");
            while (!new File("go").exists())
                Thread.sleep(5);
        }
        LockSupport.unpark(parker);
        join(Arrays.asList(contender, parker)); // daemons: the VM would not wait for them
    }

    static void bell() throws Exception {
        final Bell bell = new Bell();
        long start = System.nanoTime();
        synchronized (bell) {
            bell.wait(120);
        }
        ms("timeout", System.nanoTime() - start);
        synchronized (bell) {
            start(false, "ringer", () -> {
                synchronized (bell) {
                    done = true;
                    bell.notifyAll();
                }
            });
            while (!done)
                bell.wait();
        }
    }

    static void lockBoth(Object first, Object second, String name, boolean virtual, List<Thread> threads) throws Exception {
        threads.add(start(virtual, name, () -> {
            synchronized (first) {
                synchronized (first) {
                    while (!done)
                        LockSupport.parkNanos(1000000);
                    synchronized (second) {
                    }
                }
            }
        }));
    }

    // Two threads wait for each other for ever, a third for a bell that nobody rings.
    static void deadlock(boolean virtual) throws Exception {
        Object left = new Left(), right = new Right(), bell = new Bell();
        List<Thread> threads = new ArrayList<Thread>(), waiter = new ArrayList<Thread>();
        lockBoth(left, right, "lefty", virtual, threads);
        lockBoth(right, left, "righty", virtual, threads);
        until(threads, Thread.State.TIMED_WAITING);
        done = true;
        until(threads, Thread.State.BLOCKED);
        waiter.add(start(virtual, "waiter", () -> {
            synchronized (bell) {
                try {
                    bell.wait();
                } catch (InterruptedException e) {
                }
            }
        }));
        until(waiter, Thread.State.WAITING);
        synchronized (bell) {    // the state is there before the monitor is given back
        }
    }

    static void park(boolean withBlocker) {
        long start = System.nanoTime();
        if (withBlocker)
            LockSupport.park(new Blocker());
        else
            LockSupport.park();
        waited.addAndGet(System.nanoTime() - start);
    }

    static void parks(boolean virtual, int count, boolean withBlocker, int holdMs) throws Exception {
        List<Thread> threads = new ArrayList<Thread>();
        waited.set(0);
        for (int i = 0; i < count; i++)
            threads.add(start(virtual, "parker-" + i, () -> park(withBlocker)));
        until(threads, Thread.State.WAITING);
        long start = System.nanoTime();
        Thread.sleep(holdMs);
        ms("held", System.nanoTime() - start);
        for (Thread thread : threads)
            LockSupport.unpark(thread);
        join(threads);
        ms("waited", waited.get());
    }

    static void timedParks() {
        Blocker blocker = new Blocker();
        for (int i = 0; i < 5; i++)
            LockSupport.parkNanos(blocker, 20000000);
        LockSupport.parkUntil(blocker, System.currentTimeMillis() + 30);
    }

    static void lock(ReentrantLock lock) {
        lock.lock();
        lock.unlock();
    }

    static void locks(boolean virtual, int count) throws Exception {
        final ReentrantLock lock = new ReentrantLock();
        List<Thread> threads = new ArrayList<Thread>();
        lock.lock();
        for (int i = 0; i < count; i++)
            threads.add(start(virtual, "locker-" + i, () -> lock(lock)));
        until(threads, Thread.State.WAITING);
        lock.unlock();
        join(threads);
    }

    static void wait(Object bell) {
        synchronized (bell) {
            try {
                bell.wait(1);
            } catch (InterruptedException e) {
            }
        }
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = args.length > 2 && args[2].equals("virtual");
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        switch (args[0]) {
        case "contend": contend(virtual, count, 300); break;
        case "held": held(); break;
        case "bell": bell(); break;
        case "deadlock": deadlock(virtual); break;
        case "parks": parks(virtual, count, true, 100); break;
        case "none": parks(virtual, count, false, 100); break;
        case "timed": timedParks(); break;
        case "locks": locks(virtual, count); break;
        case "rounds":
            contend(virtual, count, 300);
            System.out.println("first");
            while (!new File("go").exists())
                Thread.sleep(5);
            contend(virtual, count + 2, 300);
            break;
        case "later":
            for (String go : new String[] {"go", "again"}) {
                System.out.println("before " + go);
                while (!new File(go).exists())
                    Thread.sleep(5);
                contend(false, count, 100);
                parks(false, count, true, 50);
            }
            break;
        case "many": {
            List<Thread> threads = new ArrayList<Thread>();
            for (int i = 0; i < count; i++)
                threads.add(start(virtual, "many-" + i, () -> wait(new Bell())));
            join(threads);
            break;
        }
        default: throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done");
        if (args[0].equals("deadlock"))
            System.exit(0);
    }
}
