import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Works and waits in some threads, and says what the VM's own bean has of the CPU time of the work. */
public class CpuClock {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final int MS = 300;
    static volatile long sink;

    /* Calls nothing that would have a row of its own. */
    static void spin() {
        for (int i = 0; i < 2000000; i++)
            sink++;
    }

    static long work() {
        long began = BEAN.getCurrentThreadCpuTime();
        while (BEAN.getCurrentThreadCpuTime() - began < MS * 1000000L)
            spin();
        return BEAN.getCurrentThreadCpuTime() - began;
    }

    static void sleep() throws InterruptedException { Thread.sleep(2 * MS); }

    /* Blocks in a native method that is no wait of the agent's list. */
    static void read() throws Exception {
        Process p = new ProcessBuilder("sleep", "0.6").start();
        p.getInputStream().read();
        p.waitFor();
    }

    static void turn() {
        try {
            sleep();
            System.out.println("spun " + work() / 1000);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    public static void main(String[] words) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread() { public void run() { turn(); } };
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        read();
        Thread busy = new Thread("busy") { public void run() { for (;;) sink++; } };
        busy.setDaemon(true);
        busy.start();
        Thread idle = new Thread("idle") { public void run() { try { new java.util.concurrent.SynchronousQueue<String>().take(); } catch (InterruptedException e) { } } };
        idle.setDaemon(true);
        idle.start();
        while (BEAN.getThreadCpuTime(busy.getId()) < MS * 1000000L)
            Thread.sleep(10);
        System.out.println("busy for " + BEAN.getThreadCpuTime(busy.getId()) / 1000);
    }
}
