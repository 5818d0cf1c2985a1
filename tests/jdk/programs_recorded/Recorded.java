import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import jdk.jfr.*;
import java.lang.annotation.*;

/** Does a little of all that a recording shows: events of its own, waits, exceptions, allocations, virtual threads where there are. */
public class Recorded {
    @MetadataDefinition @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.FIELD, ElementType.TYPE})
    @interface Mark { String value() default "x"; int level() default 3; String[] names() default {"a", "b"}; }

    @Name("test.Everything") @Label("Everything \"quoted\"") @Category({"Test", "All of it"}) @Description("Every\tkind of field / value") @Mark(level = 7)
    static class Everything extends Event {
        byte b; short s; int i; long l; float f; double d; boolean z; char c; String text; Class<?> klass; Thread thread;
        @Unsigned int ui; @Unsigned long ul; @Unsigned byte ub; @Unsigned short us;
        @Timespan(Timespan.MILLISECONDS) long millis;
        @Timespan(Timespan.SECONDS) int seconds;
        @Timespan(Timespan.NANOSECONDS) long nanos;
        @Timespan(Timespan.MICROSECONDS) long micros;
        @Timespan(Timespan.TICKS) long ticks;
        @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long epoch;
        @Timestamp(Timestamp.TICKS) long when;
        @DataAmount long bytes; @DataAmount(DataAmount.BITS) long bits; @Frequency long hertz; @DataAmount @Frequency long rate;
        @Percentage float percent; @MemoryAddress long address; @Mark("hello") int marked;
    }
    @Name("tracer.Span") @Label("Span") static class Span extends Event { @Label("User") String user; int id; }
    @Name("tracer.Read") @Label("Read") static class Read extends Event { @DataAmount long bytesRead; }

    static final Object lock = new Object();
    static volatile Object sink;
    static double spin(long ms) { double x = 1; long end = System.nanoTime() + ms * 1000000; while (System.nanoTime() < end) for (int i = 1; i < 2000; i++) x += Math.sin(x) / i; return x; }
    static final List<Object> kept = new ArrayList<>();    // samples of old objects are of those that live at the end
    static void alloc(int n) { kept.clear(); for (int i = 0; i < n; i++) { sink = new byte[1024]; if (i % 16 == 8) kept.add(sink); if (i % 16 == 0) sink = new String("s" + i); } }

    static void everything(int n) {
        long[] ls = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 127, 128, 16383, 16384, 1L << 32, -12345678901L};
        float[] fs = {0f, -0f, 1f, 0.1f, 1e10f, 1e-10f, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE, Float.MAX_VALUE, 123456.7f, 0.5f};
        double[] ds = {0, -0.0, 1, 0.1, 1e10, 1e-10, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE, 123456789.123, 1e7, 9999999.0, 1e-3, 9.9e-4, 2.2250738585072014E-308, 1.0E23};
        String[] ts = {null, "", "plain", "quote\" back\\ slash/ \b\f\n\r\t", "\u00e4\u00f6\u00fc Latin", "\u4e2d\u6587 \ud83d\ude00 astral", "ctrl \u0001\u007f\u0080", "a long string which is repeated so that it lands in the pool of strings " + (n % 3), "\ud800 lone"};
        for (int k = 0; k < n; k++) {
            Everything e = new Everything();
            e.begin();
            e.b = (byte) (k * 37); e.s = (short) (k * 1237); e.i = (int) ls[k % ls.length] + k; e.l = ls[k % ls.length];
            e.f = fs[k % fs.length]; e.d = ds[k % ds.length]; e.z = k % 2 == 0; e.c = (char) (k * 997); e.text = ts[k % ts.length];
            e.klass = k % 3 == 0 ? null : k % 3 == 1 ? int[][].class : Map.Entry.class; e.thread = k % 4 == 0 ? null : Thread.currentThread();
            e.ui = -k; e.ul = ls[(k + 3) % ls.length]; e.ub = (byte) -k; e.us = (short) -k;
            e.millis = k % 5 == 0 ? Long.MIN_VALUE : k * 1001L * (k % 2 == 0 ? 1 : -1); e.seconds = k * 77; e.nanos = ls[k % 9] / 3; e.micros = k * 123457L; e.ticks = k * 1234567L;
            e.epoch = k % 7 == 0 ? Long.MIN_VALUE : 1700000000000L + k; e.when = k % 7 == 1 ? Long.MIN_VALUE : System.nanoTime();
            e.bytes = 1L << (k % 50); e.bits = 3L << (k % 50); e.hertz = k; e.rate = 1000L * k; e.percent = k / 100f; e.address = 0xdeadbeef00L + k; e.marked = k;
            e.end(); e.commit();
        }
    }
    static void spans() {
        for (int u = 0; u < 3; u++) {
            Span s = new Span(); s.begin(); s.user = u == 2 ? null : "user" + u; s.id = u;
            for (int i = 0; i <= u; i++) { Read r = new Read(); r.begin(); r.bytesRead = 100 * (i + 1); spin(1); r.commit(); }
            s.end(); s.commit();
        }
        Read r = new Read(); r.begin(); r.bytesRead = 5; r.commit();
    }
    static void contend() throws Exception {
        Thread[] ts = new Thread[3];
        synchronized (lock) {
            for (int i = 0; i < ts.length; i++) { ts[i] = new Thread(() -> { synchronized (lock) { spin(25); } }, "contender-" + i); ts[i].start(); }
            for (Thread t : ts) while (t.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            spin(25);
        }
        for (Thread t : ts) t.join();
        LockSupport.parkNanos(30_000_000L);
        synchronized (lock) { lock.wait(30); }
        Thread.sleep(25);
    }
    static void deep(int n) { if (n > 0) { deep(n - 1); return; } spin(60); }
    public static void main(String[] a) throws Exception {
        int rounds = a.length > 0 ? Integer.parseInt(a[0]) : 1;
        for (int r = 0; r < rounds; r++) {
            everything(60); spans(); contend(); deep(100); alloc(400000); spin(150);
            for (int i = 0; i < 50; i++) try { Integer.parseInt("x" + i); } catch (NumberFormatException e) { sink = e; }
            for (int i = 0; i < 5; i++) try { throw new Error("made"); } catch (Error e) { sink = e; }
            try { Object ex = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null); ExecutorService es = (ExecutorService) ex; for (int i = 0; i < 8; i++) es.submit(() -> { spin(10); synchronized (lock) { spin(22); } }); es.shutdown(); es.awaitTermination(10, TimeUnit.SECONDS); } catch (NoSuchMethodException e) { }
            java.nio.file.Path p = java.nio.file.Files.createTempFile("work", ".txt"); java.nio.file.Files.write(p, new byte[100000]); java.nio.file.Files.readAllBytes(p); java.nio.file.Files.delete(p);
            System.gc();
        }
    }
}
