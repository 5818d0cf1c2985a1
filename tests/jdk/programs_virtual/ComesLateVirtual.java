// As ComesLate, in a virtual thread.
public class ComesLateVirtual {
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
        Thread late = Thread.ofVirtual().name("late").start(() -> {
            for (int k = 0; k < 5; k++)
                sink = spin(300000000);
            done = true;
        });
        while (!done) {
            Thread.sleep(10);
            System.gc();
        }
        late.join();
        System.out.println("done");
    }
}
