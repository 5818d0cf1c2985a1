import java.util.concurrent.locks.LockSupport;

// Calls itself 60 times, or as often as the second argument says, then allocates and parks for so many ms: every stack of it is deeper than any
// depth asked for.
public class Deep {
    static final int LEVELS = 60, ROUNDS = 2000;
    static volatile Object sink;

    static void work() {
        for (int i = 0; i < ROUNDS; i++) {
            sink = new Object();
            sink = new int[i % 8];
            sink = new int[2][3].clone();
            if (i % 8 == 0) {
                LockSupport.unpark(Thread.currentThread());
                LockSupport.park(sink);
            }
        }
    }

    static void descend(int levels, long end) {
        if (levels > 0)
            descend(levels - 1, end);
        else
            while (System.nanoTime() < end)
                work();
    }

    public static void main(String[] args) {
        System.out.println("begins");
        descend(args.length > 1 ? Integer.parseInt(args[1]) : LEVELS, System.nanoTime() + Long.parseLong(args[0]) * 1000000);
    }
}
