import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits 150 ms in each of several ways, and works as long. With "unended" a thread waits for ever. */
public class Waits {
    static final int MS = 150;
    static volatile long sink;

    static synchronized void object() throws Exception { Waits.class.wait(MS); }
    static void thread() throws Exception { Thread.sleep(MS); }
    static void queue() throws Exception { new SynchronousQueue<String>().poll(MS, TimeUnit.MILLISECONDS); }
    static void reference() throws Exception { new ReferenceQueue<String>().remove(MS); }
    static void selector() throws Exception { try (Selector s = Selector.open()) { s.select(MS); } }

    static void park() {
        for (long end = System.nanoTime() + MS * 1000000L, left = MS * 1000000L; left > 0; left = end - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    static void socket() throws Exception {
        try (ServerSocket s = new ServerSocket(0)) {
            s.setSoTimeout(MS);
            s.accept();
        } catch (SocketTimeoutException expected) {
        }
    }

    /* An exception leaves a wait that another thread interrupts. */
    static void interrupted() {
        final Thread self = Thread.currentThread();
        new Thread() { public void run() { try { Thread.sleep(MS); } catch (InterruptedException e) { } self.interrupt(); } }.start();
        try { Thread.sleep(60000); } catch (InterruptedException expected) { }
    }

    static void work() {
        for (long end = System.nanoTime() + MS * 1000000L; System.nanoTime() < end;)
            sink++;
    }

    /* So that no class is loaded inside a wait. */
    static void warm() throws Exception {
        try (Selector s = Selector.open(); ServerSocket t = new ServerSocket(0)) {
            s.selectNow();
            t.setSoTimeout(1);
            t.accept();
        } catch (SocketTimeoutException expected) {
        }
        new SynchronousQueue<String>().poll(1, TimeUnit.MILLISECONDS);
        new ReferenceQueue<String>().remove(1);
    }

    /* How long this thread has stood ready and had no processor, on a busy machine: no wait of its own. */
    static void delay() {
        long ns = 0;
        try {
            ns = Long.parseLong(new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"))).split(" ")[1]);
        } catch (IOException e) {
            // a kernel that does not count it
        }
        System.out.println("delayed " + ns / 1000000);
    }

    public static void main(String[] words) throws Exception {
        warm();
        object(); thread(); queue(); reference(); selector(); park(); socket(); interrupted(); work();
        delay();
        if (words.length > 0) {
            Thread t = new Thread("waiter") { public void run() { synchronized (this) { try { wait(); } catch (InterruptedException e) { } } } };
            t.setDaemon(true);
            t.start();
            Thread.sleep(2 * MS);
        }
    }
}
