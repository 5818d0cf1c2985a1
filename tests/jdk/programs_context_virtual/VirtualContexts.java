import hprof.HprofContext;
import hprof.HprofKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that work for one user each, and leave their carriers in between; the names of their methods say which. */
public class VirtualContexts {
    static final HprofKey USER = HprofKey.of("user");
    static volatile long sink;

    static void burn(long ms) {
        long end = System.nanoTime() + ms * 1000000, x = 1;

        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++)
                x = x * 31 + i;
            if (x % 16 == 0)
                Thread.yield();
        }
        sink = x;
    }

    static void alice() {
        burn(20);
    }

    static void bob() {
        burn(20);
    }

    static void none() {
        burn(20);
    }

    static void aliceWaits() {
        LockSupport.parkNanos(20_000_000);
    }

    static void bobWaits() {
        LockSupport.parkNanos(20_000_000);
    }

    static void noneWaits() {
        LockSupport.parkNanos(20_000_000);
    }

    static void work(int i) {
        none();
        noneWaits();
        if (i % 3 == 0) {
            try (HprofContext c = USER.open("alice")) {
                for (int n = 0; n < 5; n++) {
                    alice();
                    aliceWaits();
                }
            }
        } else if (i % 3 == 1) {
            try (HprofContext c = USER.open("bob")) {
                for (int n = 0; n < 5; n++) {
                    bob();
                    bobWaits();
                }
            }
        }
        none();
        if (i % 5 == 0)
            USER.open("never closed");
    }

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            int number = i;

            threads.add(Thread.ofVirtual().start(() -> work(number)));
        }
        for (Thread t : threads)
            t.join();
        System.out.println("done");
    }
}
