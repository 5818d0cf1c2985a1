import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** The same events as those of CommittedEvents, of the JDK's own recorder. */
public class RecorderEvents {
    @Name("bench.Short")
    @Threshold("1 s")
    static class Short extends Event {
        long first;
        int second;
    }

    @Name("bench.Numbers")
    @StackTrace(false)
    static class Numbers extends Event {
        long first;
        int second;
    }

    @Name("bench.Text")
    @StackTrace(false)
    static class Text extends Event {
        String text;
        long number;
    }

    @Name("bench.Stack")
    static class Stack extends Event {
        long first;
        int second;
    }

    static final int DEPTH = 30;

    interface Events {
        void run(int count);
    }

    static void shorts(int count) {
        for (int i = 0; i < count; i++) {
            Short e = new Short();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void numbers(int count) {
        for (int i = 0; i < count; i++) {
            Numbers e = new Numbers();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void text(int count) {
        for (int i = 0; i < count; i++) {
            Text e = new Text();

            e.begin();
            e.text = "select name from people";
            e.number = i;
            e.commit();
        }
    }

    static void stack(int count) {
        for (int i = 0; i < count; i++) {
            Stack e = new Stack();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void deep(int depth, int count) {
        if (depth > 0)
            deep(depth - 1, count);
        else
            stack(count);
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
        measure("short", 100_000, RecorderEvents::shorts);
        measure("numbers", 2_000, RecorderEvents::numbers);
        measure("text", 2_000, RecorderEvents::text);
        measure("stack", 2_000, n -> deep(DEPTH, n));
    }
}
