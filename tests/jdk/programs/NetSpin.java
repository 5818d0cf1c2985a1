// Two threads that spin, an object that waits to be collected, a hook; until the file that it is told of exists.
public class NetSpin {
    static volatile double sum;
    static volatile boolean stop;

    static void deep(int n) {
        if (n > 0)
            deep(n - 1);
        else
            while (!stop)
                sum += CpuHot.hot(10000);
    }

    public static void main(String[] a) throws Exception {
        java.io.File file = new java.io.File(a[0]);
        java.lang.ref.WeakReference<Object> garbage = new java.lang.ref.WeakReference<>(new Object());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        Thread one = new Thread(() -> deep(20), "one"), two = new Thread(() -> deep(20), "two");
        one.start();
        two.start();
        System.out.println("spinning");
        while (!file.exists()) {
            Thread.sleep(10);
            if (garbage != null && garbage.get() == null) {
                garbage = null;
                System.out.println("collected");
            }
        }
        stop = true;
        one.join();
        two.join();
        System.out.println("spun");
    }
}
