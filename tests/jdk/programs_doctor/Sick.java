import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/** One thing wrong, or, with the word "healthy" behind it, what looks like it and is not: then it says "ready". */
public class Sick {
    static final Object ONE = new Object(), TWO = new Object();
    static final ReentrantLock GATE = new ReentrantLock(), DOOR = new ReentrantLock();
    static final List<Object> kept = new ArrayList<>();
    static volatile long sink;

    interface Code { void run() throws Exception; }

    static void start(String name, Code code) {
        Thread t = new Thread(() -> {
            try {
                code.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.setDaemon(true);
        t.start();
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    static void forEver() { sleep(1000000); }

    static void monitors(boolean sick) {
        start("first", () -> { synchronized (ONE) { sleep(300); synchronized (sick ? TWO : ONE) { forEver(); } } });
        start("second", () -> { synchronized (TWO) { sleep(300); if (sick) synchronized (ONE) { forEver(); } } forEver(); });
    }

    static void locks(boolean sick) {
        start("first", () -> { GATE.lock(); sleep(300); (sick ? DOOR : GATE).lock(); forEver(); });
        start("second", () -> { DOOR.lock(); sleep(300); if (sick) GATE.lock(); forEver(); });
    }

    static void convoy(boolean sick) {
        for (int i = 0; i < 20; i++)
            start("worker-" + i, () -> {
                Object own = sick ? ONE : new Object();
                while (true) synchronized (own) { sleep(20); }
            });
    }

    static void pool(boolean sick) {
        ExecutorService pool = Executors.newFixedThreadPool(6);
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 6; i++)
            pool.submit(() -> { if (sick) never.await(); return null; });
    }

    static void collects(boolean sick) {
        if (sick)
            for (long bytes = 0; bytes < Runtime.getRuntime().maxMemory() * 92 / 100 - (3 << 20); bytes += 1040) kept.add(new byte[1024]);
        start("allocates", () -> { while (true) { sink += new byte[10000].length; if (!sick) sleep(1); } });
    }

    static void asks(boolean sick) {
        if (!sick) System.gc();
        start("asks", () -> { while (true) { sleep(100); if (sick) System.gc(); } });
    }

    static void humongous(boolean sick) {
        start("allocates", () -> { while (true) { sink += new byte[sick ? 3 << 20 : 10000].length; sleep(sick ? 1 : 0); } });
    }

    static void files(boolean sick) throws Exception {
        for (int i = 0; i < (sick ? 85 : 30); i++) kept.add(new FileInputStream("/dev/null"));
    }

    static void direct(boolean sick) {
        for (int i = 0; i < (sick ? 15 : 10); i++) kept.add(ByteBuffer.allocateDirect(1 << 20));
    }

    static class Dying {
        static boolean isSlow;
        @Override protected void finalize() { if (isSlow) forEver(); }
    }

    static void finalizes(boolean sick) {
        Dying.isSlow = sick;
        for (int i = 0; i < 100000; i++) new Dying();
        System.gc();
        sleep(500);
        System.gc();
    }

    public static void main(String[] args) throws Exception {
        boolean sick = args.length < 2;
        switch (args[0]) {
        case "monitors": monitors(sick); break;
        case "locks": locks(sick); break;
        case "convoy": convoy(sick); break;
        case "pool": pool(sick); break;
        case "collects": collects(sick); break;
        case "asks": asks(sick); break;
        case "humongous": humongous(sick); break;
        case "files": files(sick); break;
        case "direct": direct(sick); break;
        case "finalizes": finalizes(sick); break;
        default: break;
        }
        sleep(1000);
        System.out.println("ready");
        forEver();
    }
}
