// Threads that come late to safepoints, each in one way: "late" runs code without a poll while main asks for collections. What is
// printed is how many collections were asked for while the other was at it.
public class ComesLate {
    static final int[] X = new int[1024];
    static final int BYTES = 200 << 20;
    static volatile int sink;
    static volatile boolean done;
    static byte[] from, to;

    interface Once {
        void run();
    }

    static int spin(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += X[i & 1023] * i;
            s ^= s >>> 3;
        }
        return s;
    }

    static void loop() {
        sink = spin(300000000);
    }

    static void copy() {
        System.arraycopy(from, 0, to, 0, from.length);
    }

    static void fill() {
        java.util.Arrays.fill(to, (byte) sink);
    }

    /** Work with many polls. */
    static void calls() {
        for (int i = 0; i < 2000; i++)
            sink = spin(1000);
    }

    static Once named(String name) {
        switch (name) {
        case "loop":
            return ComesLate::loop;
        case "copy":
            return ComesLate::copy;
        case "fill":
            return ComesLate::fill;
        default:
            return ComesLate::calls;
        }
    }

    public static void main(String[] a) throws Exception {
        Once once = named(a[0]);
        int rounds = Integer.parseInt(a[1]);
        if (a[0].equals("copy") || a[0].equals("fill")) {
            from = new byte[BYTES];
            to = new byte[BYTES];
        }
        for (int i = 0; i < 20000; i++)
            sink = spin(1000);
        Thread first = new Thread(once::run, "late");
        first.start();
        first.join();
        Thread late = new Thread(() -> {
            for (int k = 0; k < rounds; k++)
                once.run();
            done = true;
        }, "late");
        late.start();
        System.out.println("begun");
        System.out.flush();
        int asked = 0;
        for (; !done; asked++) {
            Thread.sleep(10);
            System.gc();
        }
        late.join();
        System.out.println("asked " + asked);
        System.out.println("done");
    }
}
