/* Each instruction that can go more than one way, and each way that code can be left, for jvmpi/instructions.c. */
import java.util.concurrent.Callable;

public class Instructions {
    static int sum;

    static class Base {
        Base(int x) {
            sum += x;
        }
    }

    /* Code before a constructor calls another: what is pushed stays uninitialised meanwhile. */
    static class Derived extends Base {
        Derived(int x) {
            super(x > 0 ? x : x == 0 ? 7 : -x);
        }
    }

    /* javap of this method is in test_jvmpi_instructions.py, with the order of its instructions. */
    static int known(int x) {
        if (x == 0) {
        }
        switch (x) {
            case 1:
            case 3:
                return 10;
            case 2:
                break;
            default:
        }
        switch (x) {
            case -1000:
                return 20;
            case 1000:
                return 30;
            default:
                return 40;
        }
    }

    static int ints(int a, int b) {
        int n = 0;
        if (a == 0) n += 1;
        if (a != 0) n += 2;
        if (a < 0) n += 4;
        if (a >= 0) n += 8;
        if (a > 0) n += 16;
        if (a <= 0) n += 32;
        if (a == b) n += 64;
        if (a != b) n += 128;
        if (a < b) n += 256;
        if (a >= b) n += 512;
        if (a > b) n += 1024;
        if (a <= b) n += 2048;
        return n;
    }

    static int objects(Object a, Object b) {
        int n = 0;
        if (a == b) n += 1;
        if (a != b) n += 2;
        if (a == null) n += 4;
        if (a != null) n += 8;
        for (int i = 0; i < 3; i++) {
            Object[] other = new Object[1000];
            if (other != a && other == other) n += 16;
        }
        return n;
    }

    static int numbers(long a, double b, float c) {
        return (a > 5 ? 1 : 0) + (b < 0.5 ? 2 : 0) + (c >= Float.NaN ? 4 : 0) + (a == Long.MIN_VALUE ? 8 : 0);
    }

    static int strings(String s) {
        switch (s) {
            case "Aa":
                return 1;
            case "BB":
                return 2;
            case "other":
                return 3;
            default:
                return 4;
        }
    }

    static int edges(int x) {
        switch (x) {
            case Integer.MIN_VALUE:
                return 1;
            case -1:
                return 2;
            case Integer.MAX_VALUE:
                return 3;
        }
        switch (x) {
            case Integer.MAX_VALUE - 1:
            case Integer.MAX_VALUE:
                return 4;
            default:
                return 5;
        }
    }

    static int fails(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        try {
            return fails(depth - 1);
        } finally {
            sum++;
        }
    }

    static int caught(int[] some, Object o) {
        int n = 0;
        try {
            n += some[5];
        } catch (ArrayIndexOutOfBoundsException e) {
            n += 1;
        }
        try {
            n += ((String)o).length();
        } catch (ClassCastException e) {
            n += 2;
        } catch (NullPointerException e) {
            n += 4;
        } finally {
            n += 8;
        }
        try {
            return n / (n - 9);
        } catch (ArithmeticException e) {
            return n;
        }
    }

    static synchronized int held(Object o) {
        synchronized (o) {
            synchronized (Instructions.class) {
                return o.hashCode() != 0 ? 1 : 1;
            }
        }
    }

    static synchronized int leaves(int x) {
        if (x > 0)
            throw new IllegalStateException();
        return fib(x);
    }

    static int wide(int x) {
        x += 1000;
        for (int i = 0; i < 100000; i += 30000)
            x -= 2000;
        return x;
    }

    static int called(Callable<Integer> c, int times) throws Exception {
        int n = 0;
        for (int i = 0; i < times; i++)
            n += c.call();
        return n;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void rounds() throws Exception {
        Object o = "text";
        for (int x : new int[] {0, 1, 2, 3, -1000, 1000})
            sum += known(x) + wide(x);
        for (int a = -1; a < 2; a++)
            for (int b = -1; b < 2; b++)
                sum += ints(a, b);
        sum += objects(o, o) + objects(null, o) + objects(o, null) + objects(null, null) + objects(o, new Object());
        sum += numbers(6, 0.4, 1) + numbers(Long.MIN_VALUE, 1, -1);
        for (String s : new String[] {"Aa", "BB", "C#", "other", "none"})
            sum += strings(s);
        for (int x : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
            sum += edges(x);
        try {
            sum += fails(5);
        } catch (IllegalStateException e) {
            sum++;
        }
        sum += caught(new int[1], o) + caught(new int[9], 5) + caught(new int[0], null) + held(o);
        try {
            sum += leaves(0) + leaves(1);
        } catch (IllegalStateException e) {
            sum++;
        }
        new Derived(1);
        new Derived(0);
        new Derived(-1);
        final int more = sum & 1;
        sum += called(() -> more + 1, 3) + fib(7);
        sum += new int[2][3].length + Integer.valueOf(1000) + String.valueOf(more).length();
    }

    static void spin() {
        for (int i = 0; i < 2000; i++)
            sum += fib(i % 5) & known(i % 4);
    }

    /* What was compiled and runs when the event is turned on, and is called once more when it is on. */
    static void until(String file) throws Exception {
        for (int i = 0; i < 200; i++)
            spin();
        new java.io.File("warm").createNewFile();
        while (!new java.io.File(file).exists())
            spin();
        spin();
    }

    /* Both references to an object that moves, and to two that do. */
    static void moves() throws Exception {
        final boolean[] isDone = new boolean[1];
        Thread collector = new Thread(() -> {
            while (!isDone[0])
                System.gc();
        });
        collector.start();
        for (int i = 0; i < 100; i++) {
            Object[] made = {new Object(), new Object()};
            sum += objects(made[0], made[0]) + objects(made[0], made[1]);
        }
        isDone[0] = true;
        collector.join();
    }

    static void virtual(Runnable r) throws Exception {
        Thread t = (Thread)Class.forName("java.lang.Thread").getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        t.join();
    }

    public static void main(String[] args) throws Exception {
        Runnable work = () -> {
            try {
                rounds();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        for (String arg : args) {
            if (arg.equals("virtual"))
                virtual(work);
            else if (arg.equals("thread"))
                new Thread(work).start();
            else if (arg.equals("moves"))
                moves();
            else
                until(arg);
        }
        rounds();
        System.out.println("done");
    }
}
