/* Does what its arguments name, one after the other: what triggers wait for. SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.util.ArrayList;
import java.util.List;

public class Fires {
    static class Mine extends RuntimeException {
        Mine(String message) {
            super(message);
        }
    }

    static class Yours extends Mine {
        Yours() {
            super("derived");
        }
    }

    /* So much of it, too, where others have the processor meanwhile. */
    static final long TURNS_PER_MS = 5000;

    static long work(int ms) {
        long count = 0;
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end || count < ms * TURNS_PER_MS;)
            count++;
        return count;
    }

    static long slow(int ms) {
        return work(ms);
    }

    static void deep(int n) {
        if (n == 0)
            throw new Mine("the message");
        deep(n - 1);
    }

    static void exhaust() {
        List<Object> all = new ArrayList<>();
        while (true)
            all.add(new long[1 << 17]);
    }

    static Object held;
    static final List<Object> grown = new ArrayList<>();

    static class Node {
        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    static void fill() {
        Node all = null;
        while (true)
            all = new Node(all);
    }

    static void run(String what, int n) throws Exception {
        switch (what) {
        case "throw":
            try { deep(n); } catch (Mine e) { /* expected */ }
            break;
        case "yours":
            try { throw new Yours(); } catch (Mine e) { /* expected */ }
            break;
        case "together":
            Thread[] all = new Thread[n];
            java.util.concurrent.CyclicBarrier gate = new java.util.concurrent.CyclicBarrier(n);
            for (int i = 0; i < n; i++) {
                all[i] = new Thread(() -> {
                    try {
                        gate.await();
                        deep(0);
                    } catch (Mine e) { /* expected */
                    } catch (Exception e) { throw new IllegalStateException(e); }
                });
                all[i].start();
            }
            for (Thread one : all)
                one.join();
            break;
        case "dies":
            Thread thread = new Thread(() -> deep(n), "victim");
            // Silent: the VM's own handler writes the head of a line and its rest later, and what the agent says may stand between them.
            thread.setUncaughtExceptionHandler((t, e) -> { });
            thread.start();
            thread.join();
            break;
        case "slow":
            slow(n);
            break;
        case "work":
            work(n);
            break;
        case "gc":
            System.gc();
            break;
        case "oom":
            try { exhaust(); } catch (OutOfMemoryError e) { System.out.println("caught " + e); }
            break;
        case "fill":
            try { fill(); } catch (OutOfMemoryError e) { System.out.println("caught " + e); }
            break;
        case "holds":
            held = new long[n << 17];
            break;
        case "grows":
            for (int i = 0; i < n; i++) {
                grown.add(new long[1 << 17]);
                Thread.sleep(10);
            }
            break;
        case "keeps":
            long[] mine = new long[n << 17];
            try { deep(0); } catch (Mine e) { mine[0]++; }
            break;
        case "direct":
            List<Object> buffers = new ArrayList<>();
            try {
                while (true)
                    buffers.add(java.nio.ByteBuffer.allocateDirect(1 << 20));
            } catch (OutOfMemoryError e) {
                System.out.println("caught " + e);
            }
            break;
        case "wait":
            for (File file = new File("go" + n); !file.exists();)
                Thread.sleep(5);
            break;
        default:
            throw new IllegalArgumentException(what);
        }
    }

    public static void main(String[] args) throws Exception {
        for (String arg : args) {
            String[] parts = arg.split(":");
            System.out.println("does " + arg);
            run(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) : 0);
        }
        System.out.println("done");
    }
}
