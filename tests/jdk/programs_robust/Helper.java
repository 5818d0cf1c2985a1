/** Programs that need C: see native/helper.c. The library's path is the property `helper`. */
public class Helper {
    static native void install();
    static native void ignore();
    static native void block();
    static native void unblock();
    static native boolean isMine();
    static native void stopTimer();
    static native int fromTimer();
    static native int others();
    static native int stopTimers();
    static native int timersGoing();
    static native int fork(int count);
    static native void pipe();
    static native void write(int count);
    static native int read();

    public static void main(String[] args) throws Exception {
        System.load(System.getProperty("helper"));
        int n = Integer.parseInt(args[1]);
        switch (args[0]) {
        case "signals":
            install();
            untilTaken();
            signals(n);
            break;
        case "rival":
            install();
            work(300);    // the agent looks ten times a second
            signals(n);
            break;
        case "block": {
            Thread blocking = new Thread(() -> {
                work(n);
                block();
                work(3 * n);
                if (args.length > 2)
                    unblock();
                work(n);
                System.out.println("cpu " + Truth.cpu());
            }, "blocking");
            blocking.start();
            blocking.join();
            break;
        }
        case "early":
            signals(n);
            break;
        case "ignore":
            ignore();
            untilTaken();
            work(n);
            System.out.println("cpu " + Truth.cpu());
            break;
        case "lost":
            work(n);
            System.out.println("stopped " + stopTimers());
            for (long end = System.nanoTime() + 60_000_000_000L; timersGoing() == 0 && System.nanoTime() < end; )
                work(10);
            work(n);
            System.out.println("going " + timersGoing());
            System.out.println("cpu " + Truth.cpu());
            break;
        case "fork":
            Robust.busy();
            System.out.println("forked " + fork(n));
            break;
        case "read":
            pipe();
            new Thread(() -> write(n), "writer").start();
            System.out.println("read " + read());
            break;
        default:
            throw new IllegalArgumentException(args[0]);
        }
    }

    /** The agent looks ten times a second, or when it gets the CPU. */
    static void untilTaken() {
        while (isMine())
            work(1);
    }

    static void work(int ms) {
        Truth.work(Truth.cpu() + ms * 1_000_000L);
    }

    static final int OWN_MIN = 15;    // as in test_signals.py

    /** `ms` of CPU time under a timer of our own; more, if it has sent less than OWN_MIN signals by then. */
    static void signals(int ms) {
        int before = fromTimer(), othersBefore = others();
        work(ms);
        for (long end = System.nanoTime() + 60_000_000_000L; fromTimer() - before < OWN_MIN && System.nanoTime() < end; )
            work(10);
        stopTimer();
        System.out.println("own " + (fromTimer() - before) + " others " + (others() - othersBefore));
        System.out.println("cpu " + Truth.cpu());
    }
}
