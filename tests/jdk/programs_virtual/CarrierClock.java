import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that work, and leave their carriers in several ways; says what the carriers have used of the processors. */
public class CarrierClock {
    static final int THREADS = 60, TURNS = 6;
    static final Object LOCK = new Object();
    static volatile long sink;

    /* In a variable of its own: what all write to costs the more the more of them run at that moment. */
    static void spin() {
        long x = sink;
        for (int i = 0; i < 600000; i++)
            x = x * 31 + i;
        sink = x;
    }

    /* Its own time is on both sides of what it calls. */
    static void yields() {
        long x = sink;
        for (int i = 0; i < 600000; i++)
            x = x * 31 + i;
        sink = x;
        Thread.yield();
        for (int i = 0; i < 600000; i++)
            x = x * 31 + i;
        sink = x;
    }

    static void parks() { LockSupport.parkNanos(1000000); }
    static void sleeps() throws InterruptedException { Thread.sleep(1); }
    static void contends() { synchronized (LOCK) { spin(); } }
    static void waits() throws InterruptedException { synchronized (LOCK) { LOCK.wait(1); } }

    static void turns() {
        try {
            for (int i = 0; i < TURNS; i++) {
                yields();
                parks();
                spin();
                sleeps();
                contends();
                waits();
            }
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    public static void main(String[] words) throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++)
            threads.add(Thread.ofVirtual().unstarted(CarrierClock::turns));
        for (Thread thread : threads)
            thread.start();
        for (Thread thread : threads)
            thread.join();
        long ns = 0;
        for (long id : bean.getAllThreadIds())
            if (bean.getThreadInfo(id).getThreadName().startsWith("ForkJoinPool-1-worker"))
                ns += bean.getThreadCpuTime(id);
        System.out.println("carriers " + ns / 1000);
    }
}
