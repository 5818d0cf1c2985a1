/*
 * Publishing.java - threads whose contexts another process reads at any moment.
 * SPDX-License-Identifier: Apache-2.0
 */
import hprof.HprofContext;
import hprof.HprofKey;
import java.io.File;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishing [virtual] [LIBRARY]: each value of a round has the number of the thread and that of the
 * round, so that a reader knows what belongs together. With a library, an SDK that publishes for itself
 * comes later, when there is a file "go".
 */
public class Publishing {
    static final int THREADS = 2, VIRTUAL = 50, ROUNDS_OF_A_FILL = 20;
    static final HprofKey USER = HprofKey.of("user"), TRACE = HprofKey.of("trace_id"), ACTION = HprofKey.of("action"), SPAN = HprofKey.of("span_id");
    static volatile long sink;
    static boolean isVirtual;

    private static void spin() {
        long x = sink;

        for (int i = 0; i < 20000; i++)
            x = x * 31 + i;
        sink = x;
        if (isVirtual && x % 4 == 0)
            LockSupport.parkNanos(100_000);
    }

    private static String hex(int digits, int thread, int round) {
        return String.format("%0" + (digits - 8) + "x%08x", thread, round);
    }

    private static void round(int t, int n) {
        String of = "-" + t + "-" + n;

        try (HprofContext user = USER.open("user" + of)) {
            spin();
            try (HprofContext trace = TRACE.open(hex(32, t, n))) {
                spin();
                try (HprofContext span = SPAN.open(hex(16, t, n))) {
                    spin();
                    try (HprofContext action = ACTION.open("action" + of)) {
                        spin();
                        try (HprofContext inner = USER.open("inner" + of)) {
                            spin();
                            try (HprofContext none = USER.open(null)) {
                                spin();
                                try (HprofContext child = SPAN.open(hex(16, t + 1000, n))) {
                                    spin();
                                }
                            }
                            spin();
                        }
                    }
                    spin();
                    try (HprofContext bad = SPAN.open("no span")) {
                        spin();
                    }
                }
            }
            spin();
        }
        spin();
    }

    /** Deeper than there is room for texts, and than scopes are kept. */
    private static void fill(int t, int n, int depth) {
        if (depth == 0) {
            spin();
            return;
        }
        try (HprofContext user = USER.open("fill-" + t + "-" + n + "-" + depth + "-........................................")) {
            fill(t, n, depth - 1);
        }
    }

    private static void work(int t) {
        for (int n = 1; ; n++) {
            round(t, n);
            if (n % ROUNDS_OF_A_FILL == 0)
                fill(t, n, 40);
        }
    }

    private static void start(boolean asVirtual, Runnable task) throws Exception {
        if (asVirtual)
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        else
            new Thread(task).start();
    }

    static String repeated(String text, int count) {
        StringBuilder all = new StringBuilder();

        for (int i = 0; i < count; i++)
            all.append(text);
        return all.toString();
    }

    public static void main(String[] arguments) throws Exception {
        isVirtual = arguments.length > 0 && arguments[0].equals("virtual");
        ExecutorService one = Executors.newSingleThreadExecutor();

        for (int i = 1; i <= (isVirtual ? VIRTUAL : THREADS); i++) {
            int t = i;

            start(isVirtual, () -> work(t));
        }
        try (HprofContext user = USER.open("waits"); HprofContext trace = TRACE.open(repeated("ab", 16)); HprofContext span = SPAN.open(repeated("cd", 8));
             HprofContext action = ACTION.open(repeated("\u00e9", 200))) {
            one.execute(HprofContext.wrap(() -> LockSupport.park()));
            System.out.println("ready");
            if (arguments.length > 0 && !isVirtual) {
                while (!new File("go").exists())
                    Thread.sleep(10);
                System.load(arguments[0]);
                Publishes.process(new byte[] {10, 0});
                System.out.println("another");
            }
            LockSupport.park();
        }
    }
}
