/* A loop, conditions and calls, in rounds; says how many ns of its own CPU time the best of them took. */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Steps {
    static int sum;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void round(int times) {
        int s = 0;
        for (int i = 0; i < times; i++) {
            s += i ^ (s >> 3);
            if ((s & 4) == 0)
                s -= 3;
        }
        sum += s + fib(18);
    }

    public static void main(String[] args) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long begin = threads.getCurrentThreadCpuTime();
            round(100000);
            best = Math.min(best, threads.getCurrentThreadCpuTime() - begin);
        }
        System.out.println(best);
    }
}
