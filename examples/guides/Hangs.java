// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;

/**
 * Hangs - two transfers that wait for each other, and a thread that never comes to an end; for docs/guides/hangs.md.
 *
 * The program runs until it is ended.
 */
public class Hangs {
    static class Account {
        long cents;
    }

    static final Account ALICE = new Account(), BOB = new Account();
    static final CountDownLatch BOTH = new CountDownLatch(2);
    static volatile long checked;

    public static void main(String[] args) {
        new Thread(() -> transfer(ALICE, BOB), "transfer-1").start();
        new Thread(() -> transfer(BOB, ALICE), "transfer-2").start();
        new Thread(Hangs::audit, "audit").start();
    }

    /** Takes the two locks in the order of its arguments: two transfers in opposite directions never end. */
    static void transfer(Account from, Account to) {
        synchronized (from) {
            BOTH.countDown();
            awaitBoth();
            synchronized (to) {
                from.cents--;
                to.cents++;
            }
        }
    }

    static void awaitBoth() {
        try {
            BOTH.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the sum to be right, without a pause. */
    static void audit() {
        while (ALICE.cents + BOB.cents == 0)
            checked++;
    }
}
