import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** More threads than can be looked at in one interval: so many that wait, and one after the other that is soon over. */
public class Crowd {
    static final AtomicLong WAITED = new AtomicLong(), SHORT = new AtomicLong();
    static long end;

    static void waits() {
        long begin = System.nanoTime();
        while (System.nanoTime() < end)
            LockSupport.parkNanos(end - System.nanoTime());
        WAITED.addAndGet(System.nanoTime() - begin);
    }

    static void isShort() {
        long begin = System.nanoTime();
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        SHORT.addAndGet(System.nanoTime() - begin);
    }

    public static void main(String[] args) throws Exception {
        Thread[] crowd = new Thread[Integer.parseInt(args[0])];
        end = Long.MAX_VALUE;
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] = new Thread(null, Crowd::waits, "crowd-" + i, 128 << 10);
            crowd[i].start();
        }
        end = System.nanoTime() + Long.parseLong(args[1]) * 1000000;
        for (Thread thread : crowd)
            LockSupport.unpark(thread);
        while (System.nanoTime() < end) {
            Thread brief = new Thread(Crowd::isShort, "brief");
            brief.start();
            brief.join();
        }
        for (Thread thread : crowd)
            thread.join();
        System.out.println("waits " + WAITED.get() / 1000000);
        System.out.println("isShort " + SHORT.get() / 1000000);
        System.out.println("done");
    }
}
