// Makes objects, waits for a file go1, makes more in a new thread, waits for a file go2: for tables while it runs.
public class SitesLife {
    static volatile Object sink;
    static Object[] kept = new Object[100];

    static void first() {
        for (int i = 0; i < 1000; i++) sink = new int[7];
        for (int i = 0; i < 100; i++) kept[i] = new SitesLife();
    }

    static void second() {
        for (int i = 0; i < 500; i++) sink = new long[7];
        for (int i = 0; i < 50; i++) kept[i] = null;
    }

    static void waitFor(String name) throws Exception {
        while (!new java.io.File(name).exists()) Thread.sleep(5);
    }

    public static void main(String[] args) throws Exception {
        first();
        sink = null;
        System.out.println("first");
        waitFor("go1");
        Thread thread = new Thread(SitesLife::second);
        thread.start();
        thread.join();
        sink = null;
        System.out.println("second");
        waitFor("go2");
    }
}
