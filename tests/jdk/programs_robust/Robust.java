import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Programs that are hard on a profiler, one a method; each prints a line that does not depend on the machine. */
public class Robust {
    static volatile long sink;
    static volatile boolean stop;

    static void quick(int n) {
        System.out.println("quick");
    }

    /** `n` ms of arithmetic, strings, maps and garbage. */
    static void work(int n) {
        long end = System.nanoTime() + n * 1_000_000L;
        do
            round();
        while (System.nanoTime() < end);
        System.out.println("work " + round());
    }

    static int round() {
        Map<String, int[]> map = new HashMap<>();
        for (int i = 0; i < 500; i++)
            map.put("key" + i, new int[] {i, i * i});
        int sum = 0;
        for (Map.Entry<String, int[]> e : map.entrySet())
            sum += e.getKey().length() * e.getValue()[1];
        return sum;
    }

    /** `n` thousand rounds: as much CPU time on a busy machine as on an idle one, some 30 ms for each. */
    static void rounds(int n) {
        for (int i = 0; i < n * 1000; i++)
            sink += round();
        System.out.println("rounds " + n);
    }

    static Thread busy() {
        Thread thread = new Thread(() -> {
            while (!stop)
                sink += round();
        }, "busy");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void spawn(int n) throws Exception {
        busy();
        int good = 0;
        for (int i = 0; i < n; i++) {
            Process p = new ProcessBuilder("/bin/sh", "-c", "echo child " + i).redirectErrorStream(true).start();
            try (BufferedReader r = new BufferedReader(new InputStreamReader(p.getInputStream()))) {
                if (("child " + i).equals(r.readLine()) && r.readLine() == null && p.waitFor() == 0)
                    good++;
            }
        }
        System.out.println("children " + good);
    }

    static void threads(int n) throws Exception {
        final AtomicInteger ended = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Thread thread = new Thread(() -> {
                sink += round();
                ended.incrementAndGet();
            }, "t" + i);
            thread.start();
            all.add(thread);
        }
        for (Thread thread : all)
            thread.join();
        System.out.println("threads " + ended);
    }

    /** A class that loaders of its own define again and again. */
    public static class Plug {
        public static int run(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                Object[] garbage = new Object[64];
                garbage[i & 63] = "plug" + i;
                sum += garbage[i & 63].hashCode();
                sum += inner(i);
            }
            return sum;
        }

        static int inner(int i) {
            try {
                if (i % 7 == 0)
                    throw new IllegalStateException();
                return i;
            } catch (IllegalStateException e) {
                return e.getStackTrace().length > 0 ? 1 : 0;
            }
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("Robust$Plug", bytes, 0, bytes.length);
        }
    }

    static void unload(final int n) throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Robust.class.getResourceAsStream("Robust$Plug.class")) {
            byte[] part = new byte[4096];
            for (int k; (k = in.read(part)) > 0;)
                bytes.write(part, 0, k);
        }
        final AtomicInteger good = new AtomicInteger();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < n / 4; i++) {
                        Method run = new Loader().define(bytes.toByteArray()).getMethod("run", int.class);
                        run.invoke(null, 200);
                        good.incrementAndGet();
                        if (i % 50 == 49)
                            System.gc();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("loaders " + good);
    }

    static int fall(int n) {
        return fall(n + 1) + 1;
    }

    static void deep(int n) {
        int overflows = 0;
        for (int i = 0; i < n; i++) {
            try {
                sink += fall(0);
            } catch (StackOverflowError e) {
                overflows++;
            }
        }
        System.out.println("overflows " + overflows);
    }

    static int fail(int depth, int how) {
        if (depth > 0)
            return fail(depth - 1, how) + 1;
        Object[] none = new Object[1];
        switch (how) {
        case 0: throw new IllegalArgumentException("thrown");
        case 1: return none[0].hashCode();
        case 2: return none[how].hashCode();
        case 3: return how / (how - 3);
        default: none[0] = "s"; return (Integer) none[0];
        }
    }

    static void exceptions(int n) {
        int caught = 0;
        for (int i = 0; i < n; i++) {
            try {
                sink += fail(i % 30, i % 5);
            } catch (RuntimeException e) {
                caught++;
            }
        }
        System.out.println("caught " + caught);
    }

    /** Virtual threads by reflection: JDK 21 and later. */
    static void virtual(int n) throws Exception {
        final AtomicInteger ended = new AtomicInteger();
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++)
            all.add((Thread) start.invoke(null, (Runnable) () -> {
                for (int k = 0; k < 3; k++) {
                    sink += round();
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                ended.incrementAndGet();
            }));
        for (Thread thread : all)
            thread.join();
        System.out.println("virtual " + ended);
    }

    static void exits(int n) throws Exception {
        for (int i = 0; i < n; i++)
            new Thread(() -> {
                for (int k = 0; k < 100; k++)
                    sink += round();
                System.exit(3);
            }).start();
        Thread.sleep(60_000);
    }

    static void halt(int n) {
        sink += round();
        System.out.println("halt");
        Runtime.getRuntime().halt(n);
    }

    static void uncaught(int n) {
        sink += round();
        throw new IllegalStateException("nobody catches this");
    }

    static void oom(int n) {
        List<byte[]> all = new ArrayList<>();
        try {
            while (true)
                all.add(new byte[1 << 16]);
        } catch (OutOfMemoryError e) {
            all = null;
            System.out.println("oom");
        }
    }

    static void oomUncaught(int n) {
        List<byte[]> all = new ArrayList<>();
        while (true)
            all.add(new byte[1 << 16]);
    }

    /** 60 threads that work, while `n` files are opened at one time. */
    static void files(int n) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 60; i++)
            all.add(busy());
        Thread.sleep(300);
        List<FileInputStream> open = new ArrayList<>();
        for (int i = 0; i < n; i++)
            open.add(new FileInputStream("/dev/null"));
        stop = true;
        for (Thread thread : all)
            thread.join();
        System.out.println("files " + open.size());
        for (FileInputStream in : open)
            in.close();
    }

    /**
     * `n` files are opened at one time, slowly if `n` is negative, beside 250 threads that live long and work little;
     * then says how many perf events the process has, once they are none or a minute is over.
     */
    static void nearLimit(int n) throws Exception {
        for (int i = 0; i < 250; i++) {
            Thread thread = new Thread(() -> {
                while (true) {
                    sink += round();
                    try {
                        Thread.sleep(100);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        List<FileInputStream> open = new ArrayList<>();
        for (int i = 0; i < Math.abs(n); i++) {
            open.add(new FileInputStream("/dev/null"));
            if (n < 0)
                Thread.sleep(2);
        }
        System.out.println("files " + open.size());
        for (FileInputStream in : open.subList(open.size() - 10, open.size()))
            in.close();    // what the look itself opens
        long end = System.nanoTime() + 60_000_000_000L;
        while (perfEvents() > 0 && System.nanoTime() < end)
            Thread.sleep(10);
        System.out.println("perf events " + perfEvents());
    }

    static int perfEvents() throws Exception {
        int count = 0;
        for (File file : new File("/proc/self/fd").listFiles()) {
            try {
                if (java.nio.file.Files.readSymbolicLink(file.toPath()).toString().contains("perf_event"))
                    count++;
            } catch (java.io.IOException e) {
                // closed meanwhile
            }
        }
        return count;
    }

    /** Says that it runs, and works, with a rest after each 20 rounds, until the file `stop` exists. */
    static void wait(int n) throws InterruptedException {
        System.out.println("running");
        while (!new File("stop").exists()) {
            for (int i = 0; i < 20; i++)
                sink += round();
            Thread.sleep(1);
        }
        System.out.println("stopped");
    }

    /** As wait(), while threads that wait for an object come and go. */
    static void churn(int n) throws InterruptedException {
        Thread maker = new Thread(() -> {
            while (true)
                new Thread(() -> {
                    Object own = new Object();
                    synchronized (own) {
                        try {
                            own.wait(1);
                        } catch (InterruptedException e) {
                            sink++;
                        }
                    }
                }).start();
        });
        maker.setDaemon(true);
        maker.start();
        wait(n);
    }

    static int level(int depth) {
        return depth == 0 ? round() : level(depth - 1) + 1;
    }

    /** Works `n` calls deep. */
    static void stack(int n) throws Exception {
        Thread thread = new Thread(null, () -> {
            for (int i = 0; i < 2000; i++)
                sink += level(n);
        }, "stack", 512 << 20);
        thread.start();
        thread.join();
        System.out.println("stack " + level(10));
    }

    public static void main(String[] args) throws Exception {
        int n = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        Method method = Robust.class.getDeclaredMethod(args[0], int.class);
        try {
            method.invoke(null, n);
        } catch (java.lang.reflect.InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException)
                throw (RuntimeException) e.getCause();
            throw (Error) e.getCause();
        }
    }
}
