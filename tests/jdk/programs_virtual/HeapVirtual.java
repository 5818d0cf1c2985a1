// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Objects that only the stacks of parked virtual threads hold, and others that nobody holds. Arguments: collect first? */
public class HeapVirtual {
    static final int COUNT = 100;

    static class Held {
        final int number;

        Held(int number) {
            this.number = number;
        }
    }

    static final CountDownLatch in = new CountDownLatch(COUNT);
    static final Thread[] all = new Thread[COUNT];

    static void hold(int number) {
        Held held = new Held(number);
        in.countDown();
        LockSupport.park();
        if (held.number < 0)
            System.out.println();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < COUNT; i++) {
            int number = i;
            all[i] = Thread.ofVirtual().start(() -> hold(number));
        }
        in.await();
        for (Thread thread : all) {
            while (thread.getState() != Thread.State.WAITING)
                Thread.sleep(1);
        }
        if (args[0].equals("y"))
            System.gc();
        for (int i = 0; i < COUNT; i++)
            new Held(COUNT + i).toString();
    }
}
