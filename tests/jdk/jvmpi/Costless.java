// SPDX-License-Identifier: Apache-2.0
/** Calls, objects and monitors without end, until the agent costless.c says that it has seen enough. */
public class Costless {
    static volatile boolean isDone, isSpinning;
    static int sum;

    /** Called at last: no compiler knows it before. */
    static int spin(int n) {
        int x = n;
        for (int i = 0; i < 10; i++)
            x = x * 31 + i;
        return x;
    }

    static Object work(int n) {
        Object[] all = new Object[2];
        all[0] = new Object();
        all[1] = new int[n];
        return all;
    }

    static int locked(Object lock) {
        synchronized (lock) {
            return sum++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Object lock = new Object();
        while (!isDone) {
            for (int i = 0; i < 100; i++) {
                work(i);
                locked(lock);
                if (isSpinning)
                    sum += spin(i);
            }
            Thread.sleep(1);
        }
    }
}
