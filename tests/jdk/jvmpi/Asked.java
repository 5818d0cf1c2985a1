// SPDX-License-Identifier: Apache-2.0
/** Calls, objects, arrays, threads and a wait, of which the agent asks.c hears. */
public class Asked {
    static class Part {
        final int n;

        Part(int n) {
            this.n = n;
        }

        int twice() {
            return 2 * n;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int sum = 0;
        for (int i = 0; i < 200; i++) {
            Part part = new Part(i);
            Part[] parts = {part};
            sum += parts[0].twice();
        }
        Thread other = new Thread("other") {
            @Override
            public void run() {
            }
        };
        other.start();
        other.join();
        Object lock = new Object();
        synchronized (lock) {
            lock.wait(1);
        }
        System.out.println(sum);
    }
}
