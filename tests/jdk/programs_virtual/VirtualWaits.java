import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A virtual thread waits 150 ms in each of several ways, and works as long; one more waits for ever. */
public class VirtualWaits {
    static final int MS = 150;
    static final ReentrantLock LOCK = new ReentrantLock();
    static volatile long sink;

    static void park() { LockSupport.parkNanos(MS * 1000000L); }
    static void sleep() throws Exception { Thread.sleep(MS); }
    static void queue() throws Exception { new SynchronousQueue<String>().poll(MS, TimeUnit.MILLISECONDS); }
    static void join() throws Exception { Thread.ofVirtual().start(VirtualWaits::nap).join(); }
    static synchronized void object() throws Exception { VirtualWaits.class.wait(MS); }

    static void unpark() throws Exception {
        Thread self = Thread.currentThread();
        Thread.ofPlatform().start(() -> {
            while (self.getState() != Thread.State.WAITING)
                Thread.onSpinWait();
            nap();
            LockSupport.unpark(self);
        });
        LockSupport.park();
    }

    static void lock() throws Exception {
        Thread holder = Thread.ofVirtual().start(() -> { LOCK.lock(); nap(); LOCK.unlock(); });
        while (!LOCK.isLocked())
            Thread.onSpinWait();
        LOCK.lock();
        LOCK.unlock();
        holder.join();
    }

    /* A monitor is held, so the carrier waits too, until JDK 23. */
    static void pinned() { synchronized (new Object()) { LockSupport.parkNanos(MS * 1000000L); } }

    static void work() {
        for (long end = System.nanoTime() + MS * 1000000L; System.nanoTime() < end;)
            sink++;
    }

    static void nap() {
        try { Thread.sleep(MS); } catch (InterruptedException e) { throw new Error(e); }
    }

    static void all() {
        try {
            new SynchronousQueue<String>().poll(1, TimeUnit.MILLISECONDS);    // classes are loaded before the waits
            park(); sleep(); queue(); join(); object(); unpark(); lock(); pinned(); work();
        } catch (Exception e) {
            throw new Error(e);
        }
    }

    static void forever() { for (;;) LockSupport.park(); }

    public static void main(String[] words) throws Exception {
        Thread.ofVirtual().start(VirtualWaits::forever);
        Thread.ofVirtual().start(VirtualWaits::all).join();
    }
}
