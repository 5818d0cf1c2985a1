// SPDX-License-Identifier: Apache-2.0
// Work.java - a mixture of everything a walker meets: recursion, megamorphic calls, streams, sorting, intrinsics,
// JNI, monitors, reflection, exceptions, garbage. Arguments: seconds, threads. Runs on JDK 8 and later.
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class Work {
    interface Shape { double area(); }
    static class Square implements Shape { double s = 2; public double area() { return s * s; } }
    static class Circle implements Shape { double r = 3; public double area() { return Math.PI * r * r; } }
    static class Tri implements Shape { double b = 4, h = 5; public double area() { return b * h / 2; } }
    static class Hex implements Shape { double s = 1; public double area() { return Math.sin(s) + Math.cos(s) * s; } }

    static volatile long sink;
    static final Object lock = new Object();

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int deep(int n) { return n == 0 ? 1 : 1 + deep(n - 1); }

    static long shapes(int n) {
        Shape[] all = {new Square(), new Circle(), new Tri(), new Hex()};
        double sum = 0;
        for (int i = 0; i < n; i++) sum += all[i & 3].area();
        return (long) sum;
    }

    static long streams(int n) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) list.add(i * 7919 % 1000);
        Map<Integer, Long> m = list.stream().filter(x -> x % 3 != 0).map(x -> x * 2)
            .collect(Collectors.groupingBy(x -> x % 17, Collectors.counting()));
        return m.size() + list.stream().sorted().skip(3).limit(10).mapToInt(x -> x).sum();
    }

    static long sort(int n) {
        Random r = new Random(n);
        int[] a = r.ints(n).toArray();
        Arrays.sort(a);
        String[] s = new String[n / 10];
        for (int i = 0; i < s.length; i++) s[i] = "k" + r.nextInt(100000);
        Arrays.sort(s);
        return a[0] + s[0].length();
    }

    static long digest(byte[] data) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(data)[0] + MessageDigest.getInstance("MD5").digest(data)[1];
    }

    static long zip(byte[] data) {
        CRC32 c = new CRC32();
        c.update(data);
        Deflater d = new Deflater();
        d.setInput(data);
        d.finish();
        byte[] out = new byte[data.length + 100];
        int n = d.deflate(out);
        d.end();
        return c.getValue() + n;
    }

    static long big(int n) {
        BigInteger x = BigInteger.valueOf(3).pow(n);
        return x.multiply(x).mod(BigInteger.valueOf(1000003)).longValue() + x.modPow(x, BigInteger.valueOf(999983)).intValue();
    }

    public static int target(int x) { return x + 1; }
    static long reflect(int n) throws Exception {
        Method m = Work.class.getMethod("target", int.class);
        int s = 0;
        for (int i = 0; i < n; i++) s += (Integer) m.invoke(null, i);
        return s;
    }

    static int thrower(int n) { if (n == 0) throw new IllegalStateException("x"); return thrower(n - 1); }
    static long exceptions(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) try { thrower(i % 20); } catch (IllegalStateException e) { s += e.getStackTrace().length; }
        return s;
    }

    static synchronized long sync(int n) { long s = 0; for (int i = 0; i < n; i++) synchronized (lock) { s += i ^ sink; } return s; }

    static long strings(int n) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < n; i++) b.append(i).append(',').append("abc".compareTo("abd")).append("x" + i);
        String s = b.toString();
        int c = 0;
        for (String p : s.split(",")) c += p.hashCode() + p.indexOf("9") + (p.equals("12x") ? 1 : 0);
        HashMap<String, Integer> m = new HashMap<>();
        for (int i = 0; i < n; i++) m.merge("k" + i % 50, 1, Integer::sum);
        return c + m.size();
    }

    static long arrays(int n) {
        Object[] a = new Object[1000];
        Object[] b = new String[1000];
        long s = 0;
        for (int i = 0; i < n; i++) {
            Arrays.fill(a, "q");
            System.arraycopy(a, 0, b, 0, 1000);
            System.arraycopy(a, 10, a, 0, 900);
            s += a.clone().length;
            b[i % 1000] = null;
            s += Arrays.copyOf(b, 500).length;
        }
        return s;
    }

    static void round(int i, byte[] data) throws Exception {
        sink += fib(16) + deep(50 + i % 100) + shapes(2000) + streams(300) + sort(2000) + digest(data) + zip(data)
            + big(300) + reflect(100) + exceptions(50) + sync(300) + strings(100) + arrays(20);
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L;
        Thread[] ts = new Thread[Integer.parseInt(args[1])];
        for (int t = 0; t < ts.length; t++) {
            ts[t] = new Thread(() -> {
                byte[] data = new byte[4000];
                new Random(1).nextBytes(data);
                try {
                    for (int i = 0; System.nanoTime() < end; i++) round(i, data);
                } catch (Exception e) { throw new RuntimeException(e); }
            }, "work-" + t);
            ts[t].start();
        }
        for (Thread t : ts) t.join();
    }
}
