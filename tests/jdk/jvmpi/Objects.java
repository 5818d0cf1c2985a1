/*
 * Makes 20,000 Things by constructors, 1,000 by clone() and 100 by reflection, in four threads, with collections in between;
 * 1,000 are kept. Loads a class by a loader of its own and forgets both, ten times.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

class Thing implements Cloneable {
    long number;

    Thing copy() throws CloneNotSupportedException {
        return (Thing) super.clone();
    }
}

class Passing {
    static int loads;
}

public class Objects {
    static final List<Thing> KEPT = new ArrayList<>();
    static volatile Thing last;

    static Thing makeThing(int kind) throws Exception {
        if (kind == 0)
            return new Thing();
        if (kind == 1)
            return last.copy();
        return Thing.class.getDeclaredConstructor().newInstance();
    }

    static void work() {
        try {
            for (int i = 0; i < 5000; i++) {
                Thing made = makeThing(0);
                last = made;
                if (i % 20 == 0)
                    synchronized (KEPT) {
                        KEPT.add(made);
                    }
                if (i % 20 == 1)
                    makeThing(1);
                if (i % 200 == 2)
                    makeThing(2);
                if (i % 1000 == 999)
                    System.gc();
            }
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            if (!name.equals("Passing"))
                return super.loadClass(name);
            try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read())
                    bytes.write(b);
                return defineClass(name, bytes.toByteArray(), 0, bytes.size());
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(Objects::work, "worker " + i);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        for (int i = 0; i < 10; i++)
            Class.forName("Passing", true, new Loader());
        last = null;
        System.gc();
        System.gc();
        System.out.println(KEPT.size() + " kept");
    }
}
