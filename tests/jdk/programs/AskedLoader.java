// SPDX-License-Identifier: Apache-2.0

/** A system class loader (-Djava.system.class.loader=AskedLoader) that says which classes native code asks it for: no Java code called it. */
public class AskedLoader extends ClassLoader {
    public AskedLoader(ClassLoader parent) {
        super(parent);
    }

    private static boolean isAskedByNativeCode() {
        for (StackTraceElement e : new Throwable().getStackTrace())
            if (!e.getClassName().equals("AskedLoader") && !e.getClassName().equals("java.lang.ClassLoader"))
                return false;
        return true;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isAskedByNativeCode())
            System.out.println("asked for " + name + " by " + Thread.currentThread().getName());
        return super.loadClass(name, resolve);
    }

    static volatile Object last;

    static void make(int count) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < count; i++)
                    last = new int[2][i % 100];
            });
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            make(20000);
            System.gc();
            Thread.sleep(100);
        }
        System.out.println("done");
    }
}
