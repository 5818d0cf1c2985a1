import java.util.ArrayList;
import java.util.List;

/*
 * Virtual threads that call a method which sleeps, so that they have no carrier, and one that only works. The arguments are how many
 * threads there are and how many milliseconds each sleeps. SPDX-License-Identifier: Apache-2.0
 */
public class VirtualCalls {
    static int sleeps(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return ms;
    }

    static long works(int ms) {
        long turns = 0;
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;)
            turns++;
        return turns;
    }

    static int nested(int n, int ms) throws InterruptedException {
        return n == 0 ? sleeps(ms) : nested(n - 1, ms) + 1;
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]), ms = Integer.parseInt(args[1]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++)
            all.add(Thread.ofVirtual().name("virtual-" + i).start(() -> {
                try {
                    nested(3, ms);
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            }));
        for (Thread thread : all)
            thread.join();
        Thread worker = Thread.ofVirtual().name("worker").start(() -> works(ms));
        worker.join();
        System.out.println("done");
    }
}
