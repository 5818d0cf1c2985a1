import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that spend their lives in a method each, many waiting and one at work; says how many milliseconds that was for all together. */
public class VirtualSpends {
    static final LongAdder slept = new LongAdder(), parked = new LongAdder(), computed = new LongAdder();
    static volatile long end, sink;

    interface Way { void spend() throws Exception; }

    static void sleeps() throws Exception { Thread.sleep(Math.max(0, end - System.nanoTime()) / 1000000); }

    static void parks() {
        while (System.nanoTime() < end)
            LockSupport.parkNanos(end - System.nanoTime());
    }

    static void computes() {
        while (System.nanoTime() < end)
            sink++;
    }

    /* A life begins with the thread's start, on a busy machine long before its first step. */
    static Runnable life(Way way, LongAdder sum) {
        long begin = System.nanoTime();
        return () -> {
            try {
                way.spend();
            } catch (Exception e) {
                throw new Error(e);
            }
            sum.add(System.nanoTime() - begin);
        };
    }

    public static void main(String[] words) throws Exception {
        int count = Integer.parseInt(words[0]);
        end = System.nanoTime() + Long.parseLong(words[1]) * 1000000;
        List<Thread> threads = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                threads.add(Thread.ofVirtual().start(life(VirtualSpends::sleeps, slept)));
                executor.submit(life(VirtualSpends::parks, parked));
            }
            threads.add(Thread.ofVirtual().start(life(VirtualSpends::computes, computed)));
            System.out.println("begun");
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("sleeps " + slept.sum() / 1000000);
        System.out.println("parks " + parked.sum() / 1000000);
        System.out.println("computes " + computed.sum() / 1000000);
        System.out.println("done");
    }
}
