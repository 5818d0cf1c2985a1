// SPDX-License-Identifier: Apache-2.0
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/**
 * Virtual threads that wait in known ways: started directly, by an executor, and (argument "many") a number of them. One
 * runs with most of its frames still in the heap.
 */
public class VirtualDemo {
    static final ReentrantLock lock = new ReentrantLock();
    static final Object monitor = new Object();
    static volatile long sink;
    static final List<Thread> waiting = new ArrayList<>();

    static void deep(int n, Runnable last) {
        if (n == 0)
            last.run();
        else
            deep(n - 1, last);
    }

    static void park() { LockSupport.park(VirtualDemo.class); }
    static void sleep() {
        try { Thread.sleep(1_000_000_000L); } catch (InterruptedException e) { throw new IllegalStateException(e); }
    }
    static void lockIt() { lock.lock(); lock.unlock(); }
    static void spin() { while (true) sink = sink * 31 + 1; }
    static int mix(int a, long b, double c, Object d, int e, int f, int g, int h, int i, int j, Runnable r) {
        r.run();
        return a + (int) b + (int) c + d.hashCode() + e + f + g + h + i + j;
    }
    static void onMany() { sink = mix(1, 2, 3, "x", 5, 6, 7, 8, 9, 10, VirtualDemo::park); }
    static void once() { LockSupport.parkNanos(1000); }

    /** Comes back from a park deep down: most of its frames are still in the heap. */
    static void half(int n) {
        if (n == 0) {
            LockSupport.parkNanos(50_000_000L);
            spin();
        } else
            half(n - 1);
    }

    static void start(String name, Runnable body) { waiting.add(Thread.ofVirtual().name(name).start(body)); }

    public static void main(String[] args) throws Exception {
        lock.lock();
        for (int round = 0; round < 2000; round++) { // compiles some methods
            Thread t = Thread.ofVirtual().unstarted(() -> deep(20, VirtualDemo::once));
            t.start();
            t.join();
        }
        start("parked", () -> deep(10, VirtualDemo::park));
        start("sleeping", () -> deep(30, VirtualDemo::sleep));
        start("locking", () -> deep(5, VirtualDemo::lockIt));
        start("arguments", () -> deep(3, VirtualDemo::onMany));
        start("deep", () -> deep(700, VirtualDemo::park));
        Thread.ofVirtual().name("half").start(() -> half(300));
        ThreadFactory named = Thread.ofVirtual().name("task-", 0).factory();
        ExecutorService tasks = Executors.newThreadPerTaskExecutor(body -> {
            waiting.add(named.newThread(body));
            return waiting.get(waiting.size() - 1);
        });
        for (int i = 0; i < 20; i++)
            tasks.submit(() -> deep(4, VirtualDemo::sleep));
        start("blocked", () -> {
            synchronized (monitor) {
                try { monitor.wait(); } catch (InterruptedException e) { sink++; }
            }
        });
        int many = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        for (int i = 0; i < many; i++)
            start("many-" + i, () -> deep(3, VirtualDemo::sleep));
        for (Thread thread : waiting)
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING)
                Thread.sleep(1);
        while (sink == 0) // "half" is in spin(), and stays there
            Thread.sleep(1);
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
