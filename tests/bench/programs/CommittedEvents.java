import hprof.HprofEvent;
import hprof.HprofEventType;
import java.util.concurrent.TimeUnit;

/** ns of an event, begun and committed, in rounds; the first ones warm the compilers up. */
public class CommittedEvents {
    static final HprofEventType SHORT = type("Short").threshold(1, TimeUnit.SECONDS).define();
    static final HprofEventType NUMBERS = type("Numbers").stack(false).define();
    static final HprofEventType TEXT = HprofEventType.named("bench.Text").stack(false).field("text", String.class).field("number", long.class).define();
    static final HprofEventType STACK = type("Stack").define();
    static final int DEPTH = 30;

    static HprofEventType.Definition type(String name) {
        return HprofEventType.named("bench." + name).field("first", long.class).field("second", int.class);
    }

    interface Events {
        void run(int count);
    }

    static void numbers(HprofEventType type, int count) {
        for (int i = 0; i < count; i++) {
            HprofEvent e = type.begin();

            e.set(0, (long) i).set(1, i).commit();
        }
    }

    static void text(int count) {
        for (int i = 0; i < count; i++) {
            HprofEvent e = TEXT.begin();

            e.set(0, "select name from people").set(1, (long) i).commit();
        }
    }

    static void deep(int depth, int count) {
        if (depth > 0)
            deep(depth - 1, count);
        else
            numbers(STACK, count);
    }

    static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
            .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void measure(String name, int count, Events events) {
        double[] ns = new double[100];
        long bytes = 0;

        for (int round = 0; round < ns.length; round++) {
            long before = allocated(), start = System.nanoTime();

            events.run(count);
            ns[round] = (System.nanoTime() - start) / (double) count;
            bytes = allocated() - before;
        }
        java.util.Arrays.sort(ns);
        System.out.printf("%s %.1f ns %.2f bytes%n", name, ns[ns.length / 2], bytes / (double) count);
    }

    public static void main(String[] args) {
        int count = STACK.isEnabled() ? 2_000 : 100_000;

        measure("short", 100_000, n -> numbers(SHORT, n));
        measure("numbers", count, n -> numbers(NUMBERS, n));
        measure("text", count, CommittedEvents::text);
        measure("stack", count, n -> deep(DEPTH, n));
    }
}
