// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads: two that are parked, one with a thread local; and one that runs. Argument: how long to sleep, ms. */
public class HeapVirtualThreads {
    static final ThreadLocal<byte[]> LOCAL = new ThreadLocal<>();
    static final CountDownLatch in = new CountDownLatch(3);
    static volatile long spun;
    static volatile boolean ends;

    static void park(boolean withLocal) {
        byte[] held = new byte[200000];
        if (withLocal)
            LOCAL.set(new byte[300000]);
        in.countDown();
        while (!ends)
            LockSupport.park();
        System.out.println(held.length);
    }

    static void spin() {
        in.countDown();
        while (!ends)
            spun++;
    }

    public static void main(String[] args) throws Exception {
        Thread plain = Thread.ofVirtual().name("parked").start(() -> park(false));
        Thread local = Thread.ofVirtual().name("with a local").start(() -> park(true));
        Thread runs = Thread.ofVirtual().name("spinning").start(HeapVirtualThreads::spin);
        in.await();
        for (Thread thread : new Thread[] {plain, local}) {
            while (thread.getState() != Thread.State.WAITING)
                Thread.sleep(1);
        }
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[0]));
        ends = true;
        System.out.println(runs + " " + spun);
    }
}
