import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofKey;

/** ns of a scope, begun and ended, in rounds; the first ones warm the compilers up. */
public class ContextScopes {
    static final HprofKey USER = HprofKey.of("user"), ACTION = HprofKey.of("action");
    static final HprofContext LOAD = ACTION.value("load");
    static final String[] NAMES = new String[64];
    static int sink;

    interface Scopes {
        void run(int count);
    }

    static void made(int count) {
        for (int i = 0; i < count; i++)
            try (HprofContext c = LOAD.open()) {
                sink += i;
            }
    }

    static void named(int count) {
        for (int i = 0; i < count; i++)
            try (HprofContext c = USER.open(NAMES[i & 63])) {
                sink += i;
            }
    }

    static void nested(int count) {
        for (int i = 0; i < count; i += 2)
            try (HprofContext c = USER.open(NAMES[i & 63]); HprofContext d = LOAD.open()) {
                sink += i;
            }
    }

    static void fresh(int count) {
        for (int i = 0; i < count; i++)
            try (HprofContext c = USER.open(Integer.toString(sink++))) {
                sink += i & 1;
            }
    }

    static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
            .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void measure(String name, int count, Scopes scopes) {
        double best = Double.MAX_VALUE;
        long bytes = 0;

        for (int round = 0; round < 100; round++) {
            long before = allocated(), start = System.nanoTime();

            scopes.run(count);
            best = Math.min(best, (System.nanoTime() - start) / (double) count);
            bytes = allocated() - before;
        }
        System.out.printf("%s %.1f ns %.2f bytes%n", name, best, bytes / (double) count);
    }

    static void all() {
        measure("made", 100_000, ContextScopes::made);
        measure("named", 100_000, ContextScopes::named);
        measure("nested", 100_000, ContextScopes::nested);
        measure("fresh", 20_000, ContextScopes::fresh);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < NAMES.length; i++)
            NAMES[i] = "user" + i;
        System.out.println("loaded " + Hprof.isLoaded());
        if (args.length > 0) {
            Thread t = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) ContextScopes::all);
            t.join();
        } else {
            all();
        }
    }
}
