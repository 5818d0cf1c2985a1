/* "methods": calls, the ns of CPU time that its thread takes for the best of its rounds; "receivers": the same with calls of one object's
 * method; "objects": objects that are dropped, the ns of CPU time that the process takes for all rounds but the first. */
import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;

public class Events {
    static Object last;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    int fibOf(int n) {
        return n < 2 ? n : fibOf(n - 1) + fibOf(n - 2);
    }

    static void methods(int rounds, IntConsumer calls) {
        java.lang.management.ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long begin = threads.getCurrentThreadCpuTime();
            calls.accept(22);
            best = Math.min(best, threads.getCurrentThreadCpuTime() - begin);
        }
        System.out.println(best);
    }

    static void objects(int rounds) {
        com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long begin = 0;
        for (int i = 0; i < rounds; i++) {
            if (i == 1)
                begin = system.getProcessCpuTime();
            for (int j = 0; j < 200000; j++)
                last = new Object();
        }
        System.gc();
        System.out.println((system.getProcessCpuTime() - begin) / (rounds - 1));
    }

    public static void main(String[] args) {
        if (args[0].equals("methods"))
            methods(100, Events::fib);
        else if (args[0].equals("receivers"))
            methods(20, new Events()::fibOf);
        else
            objects(41);
    }
}
