/*
 * Everything at once, for so many seconds as the argument says: 200 threads that call, allocate, throw, contend for monitors, wait and
 * sleep, and some of them load classes and forget them, start threads and collect.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

class Brief {
    static int loads;
    final int number = ++loads;
}

public class Storm {
    static final int THREADS = 200;
    static final int ROUNDS_MIN = 20;
    static final Object[] LOCKS = new Object[8];
    static long end;
    static volatile Object last;

    static class Junk {
        final long number;

        Junk(long number) {
            this.number = number;
        }
    }

    static class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            if (!name.equals("Brief"))
                return super.loadClass(name);
            try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read())
                    bytes.write(b);
                return defineClass(name, bytes.toByteArray(), 0, bytes.size());
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static long step(int depth, long number) {
        Junk made = new Junk(number);
        last = made;
        if (depth > 0)
            return step(depth - 1, number) + made.number;
        if (number % 16 == 0)
            throw new Refusal();
        return new int[(int) (number % 100)].length;
    }

    static long stepOrRefuse(long number) {
        try {
            return step(3, number);
        } catch (Refusal e) {
            return -1;
        }
    }

    static void contend(long number) throws InterruptedException {
        Object lock = LOCKS[(int) (number % LOCKS.length)];
        synchronized (lock) {
            stepOrRefuse(number);
            if (number % 64 == 0)
                lock.wait(1);
            else if (number % 32 == 0)
                lock.notifyAll();
        }
    }

    static void special(int which) throws Exception {
        if (which % 50 == 0)
            Class.forName("Brief", true, new Loader()).getDeclaredConstructors();
        if (which == 1) {
            Thread brief = new Thread(() -> stepOrRefuse(1), "brief");
            brief.start();
            brief.join();
        }
        if (which == 2)
            System.gc();
    }

    static void work(int which) {
        try {
            for (long i = 0; i < ROUNDS_MIN || System.nanoTime() < end; i++) {
                contend(i + which);
                if (i % 20 == which % 20)
                    Thread.sleep(1 + which % 5);
                if (i % 10 == 9)
                    special(which);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The agent collects here. */
    static void over() {
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < LOCKS.length; i++)
            LOCKS[i] = new Object();
        end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000;
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int which = i;
            threads[i] = new Thread(null, () -> work(which), "worker " + i, 256 << 10);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        last = null;
        over();
        System.out.println("done");
    }
}
