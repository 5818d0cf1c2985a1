/* Does what its arguments name, one after the other: calls whose number and least length are known. SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.io.IOException;

public class MethodCalls {
    interface Task {
        int run(int ms) throws Exception;

        default int twice(int ms) throws Exception {
            return run(ms) + run(ms);
        }
    }

    static class Sleeps implements Task {
        @Override
        public int run(int ms) throws Exception {
            Thread.sleep(ms);
            return ms;
        }
    }

    static class Made {
        final int ms;

        Made(int ms) throws Exception {
            this(ms, ms > 1000 ? "never" : "so");
            Thread.sleep(ms);
        }

        Made(int ms, String word) {
            this.ms = ms + (word.length() > 2 ? 1 : 0);
        }
    }

    static class Fails extends RuntimeException {
    }

    static int slow(int ms) throws Exception {
        Thread.sleep(ms);
        return ms;
    }

    static int quick(int n) {
        return n * 31 + 7;
    }

    /* Returns or throws by its argument, from several places, with handlers and locals of several types. */
    static long branches(int n) throws IOException {
        long sum = n;
        for (int i = 0; i < 3; i++) {
            try {
                if ((n + i) % 4 == 0)
                    throw new IOException("inner");
                double half = n / 2.0;
                sum += (long) half;
            } catch (IOException e) {
                String text = e.getMessage();
                sum += text.length();
                if (n % 8 == 0)
                    throw e;
            } finally {
                sum++;
            }
        }
        return n % 2 == 0 ? sum : -sum;
    }

    static synchronized int fails(int ms) throws Exception {
        Thread.sleep(ms);
        if (ms >= 0)
            throw new Fails();
        return ms;
    }

    static int down(int n, int ms) throws Exception {
        if (n == 0)
            return slow(ms);
        return down(n - 1, ms) + 1;
    }

    static int even(int n, int ms) throws Exception {
        return n == 0 ? slow(ms) : odd(n - 1, ms);
    }

    static int odd(int n, int ms) throws Exception {
        return n == 0 ? slow(ms) : even(n - 1, ms);
    }

    /* Each overflows the stack in some frame of its own, perhaps within what was injected. */
    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    static int bottomless(int n) {
        try {
            return overflow(n);
        } catch (StackOverflowError e) {
            return -1;
        }
    }

    static Object[] garbage;

    static int allocates(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            garbage = new Object[1 << 14];
            sum += garbage.length;
        }
        System.gc();
        return sum;
    }

    static long spins(int ms) {
        long turns = 0;
        for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;)
            turns++;
        return turns;
    }

    static final Object gate = new Object();

    static int waits(int ms) throws Exception {
        Thread holder = new Thread(() -> {
            synchronized (gate) {
                spins(ms);
            }
        });
        int sum = 0;
        synchronized (gate) {
            holder.start();
            spins(5);
        }
        while (holder.getState() == Thread.State.NEW || holder.getState() == Thread.State.BLOCKED)
            Thread.yield();
        synchronized (gate) {
            sum += ms;
        }
        holder.join();
        return sum;
    }

    static void many(int n) throws Exception {
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += quick(i);
        System.out.println("quick " + n + " " + sum);
    }

    static void branch(int n) {
        int thrown = 0;
        long sum = 0;
        for (int i = 0; i < n; i++)
            try {
                sum += branches(i);
            } catch (IOException e) {
                thrown++;
            }
        System.out.println("branches " + n + " thrown " + thrown + " sum " + sum);
    }

    static void fail(int n) throws Exception {
        for (int i = 0; i < n; i++)
            try {
                fails(20);
            } catch (Fails e) {
                System.out.println("caught " + i);
            }
    }

    static void threads(int n) throws Exception {
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> {
                try {
                    many(n);
                    slow(30);
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            }, "caller-" + i);
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
    }

    /** Calls that take no time, unless the machine is busy: then their number is printed. */
    static void fast(int n) throws Exception {
        int late = 0;
        for (int i = 0; i < n; i++) {
            long start = System.nanoTime();
            slow(0);
            if (System.nanoTime() - start > 10000000)
                late++;
        }
        System.out.println("late " + late);
    }

    static void does(String what, int n) throws Exception {
        Task task = new Sleeps();
        switch (what) {
        case "slow":
            for (int i = 0; i < n; i++)
                slow(20);
            break;
        case "fast":
            fast(n);
            break;
        case "many":
            many(n);
            break;
        case "branches":
            branch(n);
            break;
        case "fails":
            fail(n);
            break;
        case "recursion":
            down(n, 20);
            even(n, 20);
            break;
        case "twice":
            for (int i = 0; i < n; i++)
                task.twice(20);
            break;
        case "made":
            for (int i = 0; i < n; i++)
                new Made(20);
            break;
        case "overflow":
            for (int i = 0; i < n; i++)
                bottomless(i);
            break;
        case "allocates":
            allocates(n);
            break;
        case "spins":
            spins(n);
            break;
        case "waits":
            waits(n);
            break;
        case "threads":
            threads(n);
            break;
        case "wait":
            while (!new File("go" + n).exists())
                Thread.sleep(10);
            break;
        default:
            throw new IllegalArgumentException(what);
        }
    }

    public static void main(String[] args) throws Exception {
        for (String arg : args) {
            String[] parts = arg.split(":");
            System.out.println("does " + arg);
            does(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
        }
        System.out.println("done");
    }
}
