import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Threads in every state that a dump shows: a lock that many want, a pool without work, a parked lock, a busy loop. */
public class Dumped {
    static final Object LOCK = new Object();
    static final ReentrantLock GATE = new ReentrantLock();

    static void hold() {
        synchronized (LOCK) {
            try { Thread.sleep(1000000); } catch (InterruptedException e) { }
        }
    }

    static void want() { synchronized (LOCK) { System.out.println(); } }

    static void spin() { long n = 0; while (true) n++; }

    static Thread start(String name, Runnable code) {
        Thread t = new Thread(code, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        GATE.lock();
        start("holder", Dumped::hold);
        Thread.sleep(200);
        for (int i = 1; i <= 3; i++) start("wants-" + i, Dumped::want);
        start("gate \"1\"", () -> { GATE.lock(); });
        start("spinner", Dumped::spin);
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> { Thread t = new Thread(r); t.setDaemon(true); return t; });
        for (int i = 0; i < 2; i++) pool.submit(() -> { });
        Thread.sleep(300);
        System.out.println("ready");
        Thread.sleep(1000000);
    }
}
