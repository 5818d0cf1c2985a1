// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.*;

/** Two virtual threads that wait for each other's lock of java.util.concurrent. */
public class VirtualCircle {
    static final ReentrantLock FIRST = new ReentrantLock(), SECOND = new ReentrantLock();
    static final CountDownLatch BOTH = new CountDownLatch(2);

    static void take(ReentrantLock one, ReentrantLock other) {
        one.lock();
        BOTH.countDown();
        try { BOTH.await(); } catch (InterruptedException e) { throw new IllegalStateException(e); }
        other.lock();
    }

    public static void main(String[] args) throws Exception {
        Thread one = Thread.ofVirtual().name("one").start(() -> take(FIRST, SECOND));
        Thread two = Thread.ofVirtual().name("two").start(() -> take(SECOND, FIRST));
        while (one.getState() != Thread.State.WAITING || two.getState() != Thread.State.WAITING ||
               !FIRST.hasQueuedThreads() || !SECOND.hasQueuedThreads())
            Thread.sleep(10);
        System.out.println("ready");
        Thread.sleep(1_000_000_000L);
    }
}
