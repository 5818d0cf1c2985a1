// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An application that was deployed again and again, each time in a class loader of its own, and each of its ways to stay. Argument: how
 * long to sleep, ms.
 */
public class HeapGone {
    public static class App {
        static byte[] state = new byte[100000];
        public Object self = this;
    }

    static final class AppLoader extends ClassLoader {
        final String how;

        AppLoader(String how) {
            super(HeapGone.class.getClassLoader());
            this.how = how;
        }

        Object start(byte[] bytes) throws Exception {
            return defineClass("HeapGone$App", bytes, 0, bytes.length).getConstructor().newInstance();
        }
    }

    static final List<Object> LISTENERS = new ArrayList<>();
    static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    static final CountDownLatch ready = new CountDownLatch(2);

    static byte[] read() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = HeapGone.class.getResourceAsStream("HeapGone$App.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                out.write(b);
        }
        return out.toByteArray();
    }

    static Thread newThread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(HeapGone.class.getClassLoader());
        return thread;
    }

    static void sleep(long ms) {
        ready.countDown();
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // Each in a method of its own, so that no frame has an object of an old application.

    static void stayAsListener(byte[] bytes) throws Exception {
        LISTENERS.add(new AppLoader("listener").start(bytes));
    }

    static void stayAsThreadLocal(byte[] bytes, long ms) throws Exception {
        Object[] once = {new AppLoader("thread local").start(bytes)};
        newThread("pool", () -> {
            LOCAL.set(once[0]);
            once[0] = null;
            sleep(ms);
        }).start();
    }

    static void stayAsShutdownHook(byte[] bytes) throws Exception {
        AppLoader hook = new AppLoader("shutdown hook");
        hook.start(bytes);
        Thread atEnd = newThread("hook", () -> { });
        atEnd.setContextClassLoader(hook);
        Runtime.getRuntime().addShutdownHook(atEnd);
    }

    /** A thread of an old application that still runs uses its loader: that loader is not dead. */
    static void stayAsThread(byte[] bytes, long ms) throws Exception {
        AppLoader running = new AppLoader("running thread");
        running.start(bytes);
        Thread old = newThread("old application", () -> sleep(ms));
        old.setContextClassLoader(running);
        old.start();
    }

    public static void main(String[] args) throws Exception {
        long ms = Long.parseLong(args[0]);
        byte[] bytes = read();
        stayAsListener(bytes);
        stayAsThreadLocal(bytes, ms);
        stayAsShutdownHook(bytes);
        stayAsThread(bytes, ms);
        AppLoader current = new AppLoader("current");
        Object app = current.start(bytes);
        Thread.currentThread().setContextClassLoader(current);
        ready.await();
        System.out.println("ready");
        Thread.sleep(ms);
        System.out.println(app);
    }
}
