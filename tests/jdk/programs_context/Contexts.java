import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofKey;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Burns CPU in methods that are called with known scopes open, and no others: a method's name says which. */
public class Contexts {
    static final HprofKey USER = HprofKey.of("user", "who has asked"), ACTION = HprofKey.of("action");
    static final HprofContext LOAD = ACTION.value("load");
    static volatile Object sink;
    static long burnMs, fresh;

    /** CPU time: a busy machine takes away none of it. */
    static long spent() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static void burn() {
        long end = spent() + burnMs * 1000000, x = 1;

        while (spent() < end)
            for (int i = 0; i < 1000; i++)
                x = x * 31 + i;
        sink = x;
    }

    static void alice() {
        burn();
    }

    static void bob() {
        burn();
    }

    static void aliceLoad() {
        burn();
    }

    static void aliceNone() {
        burn();
    }

    static void none() {
        burn();
    }

    static void noneLoad() {
        burn();
    }

    /** Opens more scopes than are kept, and comes back. */
    static void deep(int left) {
        try (HprofContext c = ACTION.open("deep" + left)) {
            if (left > 0)
                deep(left - 1);
        }
    }

    static void round(ExecutorService pool) throws Exception {
        none();
        try (HprofContext a = USER.open("alice")) {
            alice();
            try (HprofContext b = LOAD.open()) {
                aliceLoad();
                try (HprofContext c = USER.open(null)) {
                    noneLoad();
                }
                aliceLoad();
                deep(100);
                aliceLoad();
                pool.submit(HprofContext.wrap((Runnable) Contexts::aliceLoad)).get();
            }
            alice();
            HprofContext.wrap(pool).submit((Callable<Void>) () -> {
                alice();
                return null;
            }).get();
            pool.submit(Contexts::none).get();
        }
        try (HprofContext b = USER.open("bob")) {
            bob();
            throw new IllegalStateException();
        } catch (IllegalStateException e) {
            none();
        }
        for (int i = 0; i < fresh; i++)
            try (HprofContext c = ACTION.open("n" + i)) {
                sink = c;
            }
        try (HprofContext a = USER.open("alice"); HprofContext b = LOAD.open()) {
            aliceLoad();
        }
        none();
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        int rounds = Integer.parseInt(args[0]);

        burnMs = Long.parseLong(args[1]);
        fresh = Long.parseLong(args[2]);
        System.out.println("loaded " + Hprof.isLoaded());
        System.out.flush();
        for (int i = 0; i < rounds; i++)
            round(pool);
        pool.shutdown();
        System.out.println("done " + Hprof.isLoaded());
    }
}
