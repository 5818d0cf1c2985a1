// A thread in a loop without safepoints, so that each collection comes late; how long System.gc() took in all is printed.
public class LateStop {
    static final int[] X = new int[1024];
    static volatile int sink;
    static volatile boolean done;

    static int spin(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += X[i & 1023] * i;
            s ^= s >>> 3;
        }
        return s;
    }

    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 20000; i++)
            sink = spin(1000);
        System.out.println("running");
        System.out.flush();
        while (!new java.io.File(a[0]).exists())
            Thread.sleep(10);
        Thread t = new Thread(() -> {
            for (int k = 0; k < 2; k++)
                sink = spin(800000000);
            done = true;
        }, "late");
        t.start();
        long spent = 0;
        while (!done) {
            Thread.sleep(20);
            long begin = System.nanoTime();
            System.gc();
            spent += System.nanoTime() - begin;
        }
        System.out.println("collected " + spent / 1000000);
        System.out.flush();
        Thread.sleep(600000);
    }
}
