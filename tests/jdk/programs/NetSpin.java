// Two threads that spin, a third one as soon as an object has been collected, a hook; until the file that it is told of exists.
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
        Thread one = new Thread(() -> deep(20), "one"), two = new Thread(() -> deep(20), "two"),
               three = new Thread(() -> deep(20), "three");
        one.start();
        two.start();
        System.out.println("spinning");
        while (!file.exists()) {
            Thread.sleep(10);
            if (garbage != null && garbage.get() == null) {
                garbage = null;
                System.out.println("collected");
                three.start();
            }
        }
        stop = true;
        one.join();
        two.join();
        three.join();
        System.out.println("spun");
    }
}
