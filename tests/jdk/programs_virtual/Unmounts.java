// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that are unmounted in each way there is, always at the same depth, all the time: parked, yielding,
 * sleeping; waiting for a monitor, for a notification, for a class (JDK 24 and later: until then these keep their
 * carriers). A stack with more levels than that, or with two beginnings, was never there. Argument: seconds.
 */
public class Unmounts {
    static final int DEPTH = 16;
    static final Object monitor = new Object();
    static final AtomicLong turn = new AtomicLong();
    static volatile long sink, end;
    static volatile Object kept;

    static void begin() throws Exception {
        while (System.nanoTime() < end)
            level(DEPTH - 1);
    }

    static void level(int n) throws Exception {
        if (n > 0)
            level(n - 1);
        else
            last((int) (turn.incrementAndGet() % 6));
        sink++;
    }

    static void last(int way) throws Exception {
        switch (way) {
        case 0 -> LockSupport.parkNanos(1000);
        case 1 -> Thread.yield();
        case 2 -> Thread.sleep(0, 1000);
        case 3 -> contend();
        case 4 -> await();
        default -> initialise();
        }
        work();
    }

    static void contend() {
        synchronized (monitor) {
            work();
        }
    }

    static void await() throws InterruptedException {
        synchronized (monitor) {
            monitor.wait(1);
        }
    }

    /** The first of a few threads initialises a class that was just defined, the others wait for it. */
    static void initialise() throws Exception {
        if (turn.get() / 6 % 4 == 0)
            touching = (Runnable) new Copies().loadClass("Unmounts$Touching").getConstructor().newInstance();
        touching.run();
    }

    static volatile Runnable touching = () -> sink++;

    /** Defines the classes below anew. */
    static class Copies extends ClassLoader {
        Copies() { super(Unmounts.class.getClassLoader()); }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null || !name.contains("Touch"))
                    return known != null ? known : super.loadClass(name, resolve);
                try (var in = Unmounts.class.getResourceAsStream(name + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (java.io.IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    public static class Touching implements Runnable {
        @Override public void run() { Touched.touch(); }
    }

    static class Touched {
        static { work(); }
        static void touch() { }
    }

    public static void work() {
        long x = sink;
        for (int i = 0; i < 3000; i++)
            x = x * 31 + i;
        kept = new byte[64];
        sink = x;
    }

    public static void main(String[] args) throws Exception {
        end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        Thread[] threads = new Thread[12];
        for (int i = 0; i < threads.length; i++)
            threads[i] = Thread.ofVirtual().start(() -> {
                try {
                    begin();
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(3);
                }
            });
        for (Thread thread : threads)
            thread.join();
    }
}
