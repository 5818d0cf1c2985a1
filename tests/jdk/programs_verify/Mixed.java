// SPDX-License-Identifier: Apache-2.0
// Mixed.java - a little of everything that makes stacks hard to walk; Java 8 source, newer features by reflection.
// Arguments: seconds, threads, and the parts to run (all if none is named). The seconds are those of a clock; on a machine that
// is busy with something else it goes on until half as many of CPU time are used, for a minute at most.
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class Mixed {
    interface Shape { double area(int n); }
    static class Square implements Shape { public double area(int n) { return n * n; } }
    static class Circle implements Shape { public double area(int n) { return Math.PI * n * n; } }
    static class Wave implements Shape { public double area(int n) { return Math.sin(n) + Math.log(n + 2) * Math.pow(n, 0.3); } }
    static class Flat implements Shape { public synchronized double area(int n) { return n / 3.0; } }

    /** What a class loader of its own loads again and again, so that classes are unloaded. */
    public static class Passing implements Callable<Long> {
        static int count(int n) { return n == 0 ? 0 : 1 + count(n - 1); }
        @Override public Long call() {
            long s = 0;
            for (int i = 0; i < 200; i++) s += count(i % 40);
            return s;
        }
    }

    public abstract static class Base { abstract int of(int n); }
    public static class One extends Base { int of(int n) { return n ^ 5; } }
    public static class Two extends Base { int of(int n) { return n + 2; } }

    /** Compiled while One is the only kind of Base; the first Two takes that code away under its caller. */
    public static class Changing implements Callable<Long> {
        static Base make(int i) { return i % 20000 < 19990 ? new One() : new Two(); }
        static long sum(int from, int to) {
            long s = 0;
            for (int i = from; i < to; i++) s += make(i).of(i);
            return s;
        }
        @Override public Long call() { return sum(0, 25000) + sum(19980, 30000); }
    }

    /** Has classes of its own by these names, which are unloaded with it. */
    static class Loader extends ClassLoader {
        final List<String> own;
        Loader(String... own) {
            super(Mixed.class.getClassLoader());
            this.own = Arrays.asList(own);
        }
        @Override protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!own.contains(name)) return super.loadClass(name, resolve);
            Class<?> c = findLoadedClass(name);
            byte[] bytes = files.get(name);
            return c != null ? c : defineClass(name, bytes, 0, bytes.length);
        }
    }

    static volatile long sink;
    static final Map<String, byte[]> files = new HashMap<>();
    static final Object lock = new Object();
    static final ReentrantLock fair = new ReentrantLock();

    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static long recursion() { return fib(18) + deep(600) + even(301); }
    static int deep(int n) { return n == 0 ? 1 : 1 + deep(n - 1); }
    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

    static long megamorphic() {
        Shape[] all = {new Square(), new Circle(), new Wave(), new Flat(), n -> n + 0.5};
        double sum = 0;
        for (int i = 0; i < 4000; i++) sum += all[i % all.length].area(i & 63);
        return (long) sum;
    }

    static long streams() {
        Map<Integer, Long> m = IntStream.range(0, 500).boxed().filter(x -> x % 3 != 0).map(x -> x * 7919 % 1000)
            .collect(Collectors.groupingBy(x -> x % 17, Collectors.counting()));
        return m.size() + IntStream.range(0, 300).mapToObj(i -> "k" + i % 90).sorted().distinct().count();
    }

    static long sorting() {
        int[] a = new Random(7).ints(3000).toArray();
        Arrays.sort(a);
        Integer[] boxed = Arrays.stream(a).boxed().limit(500).toArray(Integer[]::new);
        Arrays.sort(boxed, (x, y) -> Integer.compare(y, x));
        return a[0] + boxed[0];
    }

    public static int target(int x, String s) { return x + s.length(); }

    static long reflection() throws Exception {
        Method m = Mixed.class.getMethod("target", int.class, String.class);
        long s = 0;
        for (int i = 0; i < 300; i++) s += (Integer) m.invoke(null, i, "abc");
        return s;
    }

    static int thrower(int n) {
        if (n == 0) throw new IllegalStateException("x");
        return thrower(n - 1) + 1;
    }

    static long exceptions() {
        long s = 0;
        for (int i = 0; i < 60; i++) {
            try {
                s += thrower(i % 24);
            } catch (IllegalStateException e) {
                s += i;
            } finally {
                s ^= 1;
            }
            try {
                Object o = i % 2 == 0 ? "s" : Integer.valueOf(i);
                s += ((String) o).length();
            } catch (ClassCastException e) {
                s++;
            }
        }
        return s;
    }

    static long monitors() {
        long s = 0;
        for (int i = 0; i < 400; i++) {
            synchronized (lock) { s += i ^ sink; }
            fair.lock();
            try { s++; } finally { fair.unlock(); }
        }
        return s;
    }

    static long garbage() {
        Map<String, byte[]> m = new HashMap<>();
        for (int i = 0; i < 300; i++) m.put("g" + i % 100, new byte[200 + i * 7]);
        TreeMap<String, byte[]> t = new TreeMap<>(m);
        return t.firstKey().length() + t.lastEntry().getValue().length;
    }

    static long natives() throws Exception {
        byte[] data = new byte[3000];
        new Random(1).nextBytes(data);
        CRC32 c = new CRC32();
        c.update(data);
        Deflater d = new Deflater();
        d.setInput(data);
        d.finish();
        int n = d.deflate(new byte[4000]);
        d.end();
        BigInteger x = BigInteger.valueOf(3).pow(300);
        return c.getValue() + n + MessageDigest.getInstance("SHA-256").digest(data)[0]
            + x.modPow(x, BigInteger.valueOf(999983)).intValue();
    }

    static long strings() {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 150; i++) b.append(i).append(',').append("abc".compareTo("abd")).append("x" + i);
        int c = 0;
        for (String p : b.toString().split(",")) c += p.hashCode() + p.indexOf("9") + (p.equals("12x") ? 1 : 0);
        return c;
    }

    static long arrays() {
        Object[] a = new Object[800], b = new String[800];
        long s = 0;
        for (int i = 0; i < 15; i++) {
            Arrays.fill(a, "q");
            System.arraycopy(a, 0, b, 0, 800);
            s += a.clone().length + Arrays.copyOf(b, 300).length;
        }
        return s;
    }

    @SuppressWarnings("unchecked")
    static long callOwn(String... own) throws Exception {
        return ((Callable<Long>) new Loader(own).loadClass(own[0]).getDeclaredConstructor().newInstance()).call();
    }

    static long unloading() throws Exception { return callOwn("Mixed$Passing"); }

    static long deoptimising() throws Exception { return callOwn("Mixed$Changing", "Mixed$Base", "Mixed$One", "Mixed$Two"); }

    /** Virtual threads that call deep, yield and sleep, where there are any. */
    static long virtual() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return 0;
        }
        Thread[] ts = new Thread[20];
        for (int i = 0; i < ts.length; i++) {
            int n = i;
            try {
                ts[i] = (Thread) start.invoke(null, (Runnable) () -> virtualBody(n));
            } catch (java.lang.reflect.InvocationTargetException e) {
                return 0; // a preview in JDK 19 and 20
            }
        }
        for (Thread t : ts) t.join();
        return 1;
    }

    static void virtualBody(int n) {
        try {
            sink += parking(10 + n) + fib(12);
            Thread.sleep(1);
            sink += streams();
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    static int parking(int n) {
        if (n == 0) {
            Thread.yield();
            return 1;
        }
        return 1 + parking(n - 1);
    }

    /** Virtual threads that keep their carriers for a while; no part of ALL. */
    static long mounted() throws Exception {
        Thread[] ts = new Thread[8];
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < ts.length; i++) {
            int n = i;
            ts[i] = (Thread) start.invoke(null, (Runnable) () -> {
                for (int k = 0; k < 200; k++) sink += computing(10 + n);
            });
        }
        for (Thread t : ts) t.join();
        return 1;
    }

    static long computing(int n) { return n == 0 ? fib(16) : 1 + computing(n - 1); }

    static void part(String name) throws Exception {
        switch (name) {
        case "recursion": sink += recursion(); break;
        case "megamorphic": sink += megamorphic(); break;
        case "streams": sink += streams(); break;
        case "sorting": sink += sorting(); break;
        case "reflection": sink += reflection(); break;
        case "exceptions": sink += exceptions(); break;
        case "monitors": sink += monitors(); break;
        case "garbage": sink += garbage(); break;
        case "natives": sink += natives(); break;
        case "strings": sink += strings(); break;
        case "arrays": sink += arrays(); break;
        case "unloading": sink += unloading(); break;
        case "deoptimising": sink += deoptimising(); break;
        case "virtual": sink += virtual(); break;
        case "mounted": sink += mounted(); break;
        default: throw new IllegalArgumentException(name);
        }
    }

    static final String[] ALL = {"recursion", "megamorphic", "streams", "sorting", "reflection", "exceptions", "monitors",
        "garbage", "natives", "strings", "arrays", "unloading", "deoptimising", "virtual"};

    static final long MINUTE_NS = 60000000000L;

    /** What this process has used, in hundredths of a second: the kernel's unit. */
    static long cpuTicks() throws Exception {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/self/stat")), "ISO-8859-1");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    static boolean isOver(long end, long ticks) throws Exception {
        long now = System.nanoTime();
        return now >= end && (cpuTicks() >= ticks || now >= end + MINUTE_NS);
    }

    public static void main(String[] args) throws Exception {
        long seconds = Long.parseLong(args[0]);
        long end = System.nanoTime() + seconds * 1000000000L, ticks = cpuTicks() + seconds * 50;
        String[] parts = args.length > 2 ? Arrays.copyOfRange(args, 2, args.length) : ALL;
        for (String name : new String[] {"Passing", "Changing", "Base", "One", "Two"}) {
            try (InputStream in = Mixed.class.getResourceAsStream("Mixed$" + name + ".class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) out.write(b);
                files.put("Mixed$" + name, out.toByteArray());
            }
        }
        Thread[] ts = new Thread[Integer.parseInt(args[1])];
        for (int t = 0; t < ts.length; t++) {
            int first = t;
            ts[t] = new Thread(() -> {
                try {
                    for (int i = first; !isOver(end, ticks); i++) {
                        part(parts[i % parts.length]);
                        if (i % 500 == 0) System.gc();
                    }
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }, "mixed-" + t);
            ts[t].start();
        }
        for (Thread t : ts) t.join();
    }
}
