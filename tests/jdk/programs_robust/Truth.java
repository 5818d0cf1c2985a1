import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.ServerSocket;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Known shares of CPU time. The work is cut into pieces of random length; each piece spins until its thread has used
 * its quota of CPU time by its own clock. What was really used is printed: "method NAME NS", "thread NAME NS".
 * Beside it: a sleeper, a reader that waits in accept, a parked thread, and a spinner that an interrupt ends.
 */
public class Truth {
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static final String[] METHODS = {"half", "third", "fifth", "spinner"};
    static final long[] used = new long[METHODS.length];
    static volatile long sink;

    static long cpu() {
        return CLOCK.getCurrentThreadCpuTime();
    }

    static void work(long until) {
        long x = sink;
        do {
            for (int i = 0; i < 5000; i++)
                x = x * 6364136223846793005L + 1442695040888963407L;
        } while (cpu() < until);
        sink = x;
    }

    static void half(long until) {
        work(until);
    }

    static void third(long until) {
        work(until);
    }

    static void fifth(long until) {
        work(until);
    }

    static void spinner() {
        while (!Thread.currentThread().isInterrupted())
            work(0);
    }

    static void piece(int method, long ns) {
        long start = cpu();
        switch (method) {
        case 0: half(start + ns); break;
        case 1: third(start + ns); break;
        default: fifth(start + ns); break;
        }
        synchronized (used) {
            used[method] += cpu() - start;
        }
    }

    /** Pieces of 0.1 to 3 ms of the methods `first` to `last` in their shares, until `ns` are used. */
    static void pieces(int first, int last, long ns, long seed) {
        final int[] parts = {50, 30, 20};
        Random random = new Random(seed);
        long start = cpu();
        int sum = 0;
        for (int i = first; i <= last; i++)
            sum += parts[i];
        while (cpu() - start < ns) {
            int at = random.nextInt(sum), method = first;
            while (at >= parts[method])
                at -= parts[method++];
            piece(method, 100_000 + random.nextInt(2_900_000));
        }
    }

    static Thread start(String name, boolean daemon, final Runnable body) {
        Thread thread = new Thread(name) {
            public void run() {
                body.run();
                if (!isDaemon())
                    synchronized (Truth.class) {
                        System.out.println("thread " + getName() + " " + cpu());
                    }
            }
        };
        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    static void sleeper() {
        try {
            while (true)
                Thread.sleep(1000);
        } catch (InterruptedException e) {
            return;
        }
    }

    static void reader() {
        try (ServerSocket server = new ServerSocket(0)) {
            server.accept();
        } catch (java.io.IOException e) {
            throw new RuntimeException(e);
        }
    }

    static void parked() {
        while (true)
            LockSupport.park();
    }

    public static void main(String[] args) throws Exception {
        final long ns = Long.parseLong(args[0]) * 1_000_000;
        Thread[] waiting = {start("sleeper", true, Truth::sleeper), start("reader", true, Truth::reader),
                            start("parked", true, Truth::parked)};
        Thread a = start("A", false, () -> pieces(0, 0, ns / 2, 1));
        Thread b = start("B", false, () -> pieces(1, 2, ns / 2, 2));
        a.join();
        b.join();
        Thread spinner = start("spinner", false, () -> {
            long start = cpu();
            spinner();
            used[3] = cpu() - start;
        });
        while (CLOCK.getThreadCpuTime(spinner.getId()) < ns / 10)
            Thread.sleep(1);
        spinner.interrupt();
        spinner.join();
        for (Thread thread : waiting)
            System.out.println("waiting " + thread.getName() + " " + CLOCK.getThreadCpuTime(thread.getId()));
        for (int i = 0; i < METHODS.length; i++)
            System.out.println("method " + METHODS[i] + " " + used[i]);
        long live = 0;
        for (long id : CLOCK.getAllThreadIds())
            live += Math.max(0, CLOCK.getThreadCpuTime(id));
        System.out.println("live all " + live);
    }
}
