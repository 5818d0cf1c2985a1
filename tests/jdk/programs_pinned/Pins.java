// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that start and end, and some that are pinned. Arguments: threads that do nothing; how often one parks
 * with a monitor, below a native frame, in a static initializer, and on a stack without any of these; "waits": when it
 * has begun, until there is a file "go". The library of the native frame is java.library.path/libpin.so.
 */
public class Pins {
    static final long PARK_NS = 100_000_000;
    static final Object monitor = new Object();
    static int initialized;

    static native void callBack(Runnable run);

    static void park() {
        long end = System.nanoTime() + PARK_NS;
        for (long left = PARK_NS; left > 0; left = end - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    static void holdsMonitor() {
        synchronized (monitor) {
            park();
        }
    }

    static class Initialized0 {
        static {
            park();
            initialized++;
        }
        static void touch() {
        }
    }

    static class Initialized1 {
        static {
            park();
            initialized++;
        }
        static void touch() {
        }
    }

    static void initialize(int i) {
        if (i == 0)
            Initialized0.touch();
        else
            Initialized1.touch();
    }

    static void inVirtual(Runnable work) throws InterruptedException {
        Thread thread = Thread.ofVirtual().name("pins").start(work);
        thread.join();
    }

    static void start(int count) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++)
            Thread.startVirtualThread(ended::countDown);
        ended.await();
    }

    public static void main(String[] args) throws Exception {
        int[] counts = new int[5];
        boolean waits = false;
        int at = 0;
        for (String arg : args) {
            if (arg.equals("waits"))
                waits = true;
            else
                counts[at++] = Integer.parseInt(arg);
        }
        if (counts[2] > 0)
            System.loadLibrary("pin");
        System.out.println("begins");
        System.out.flush();
        while (waits && !new File("go").exists())
            Thread.sleep(20);
        long before = System.nanoTime();
        start(counts[0]);
        System.out.println("started " + counts[0] + " in ns " + (System.nanoTime() - before));
        List<Runnable> works = new ArrayList<>();
        for (int i = 0; i < counts[4]; i++) /* first: what parks need is initialized by them */
            works.add(Pins::park);
        for (int i = 0; i < counts[1]; i++)
            works.add(Pins::holdsMonitor);
        for (int i = 0; i < counts[2]; i++)
            works.add(() -> callBack(Pins::park));
        for (int i = 0; i < counts[3]; i++) {
            int which = i;
            works.add(() -> initialize(which));
        }
        for (Runnable work : works)
            inVirtual(work);
        Thread.sleep(100);
        System.out.println("done " + initialized);
    }
}
