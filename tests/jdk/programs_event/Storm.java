/* Many threads commit events while recordings come and go. SPDX-License-Identifier: Apache-2.0 */
import hprof.Hprof;
import hprof.HprofEventType;
import java.util.concurrent.atomic.AtomicLong;

public class Storm {
    static final HprofEventType HIT = HprofEventType.named("storm.Hit").field("number", long.class).field("text", String.class)
        .field("who", Thread.class).field("what", Class.class).define();
    static final AtomicLong committed = new AtomicLong();
    static volatile boolean done;

    static void deep(int depth, long number) {
        if (depth > 0)
            deep(depth - 1, number);
        else
            HIT.begin().set(0, number).set(1, "hit " + number).set(2, Thread.currentThread()).set(3, Storm.class).commit();
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]), rounds = Integer.parseInt(arguments[1]);
        Thread[] all = new Thread[threads];

        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                for (long n = 0; !done; n++) {
                    deep((int)(n % 20), committed.incrementAndGet());
                    if (n % 50 == 0)
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
            }, "storm-" + i);
            all[i].start();
        }
        for (int i = 0; i < rounds; i++) {
            Hprof.start("event=custom,name=a" + i + ",file=a" + i + ".jfr,force=y");
            Hprof.start("event=custom,name=b" + i + ",file=b" + i + ".jfr,force=y");
            for (long before = committed.get(); committed.get() < before + 1000;)
                Thread.sleep(5);
            Hprof.stop("name=b" + i);
            Hprof.stop("name=a" + i);
        }
        done = true;
        for (Thread t : all)
            t.join();
        System.out.println("done " + committed.get());
    }
}
