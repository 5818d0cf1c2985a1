// Waits for a file go1; then a new thread makes known numbers of objects, of which one in four is kept; ends at a file go2.
public class SitesLate implements Runnable {
    static Object[][] kept = new Object[2][1000];

    static class Made {
        long a, b;
    }

    static void objects(int n) {
        for (int i = 0; i < n; i++) {
            Object made = new Made();
            if (i % 4 == 0) kept[0][i / 4] = made;
        }
    }

    static void arrays(int n) {
        for (int i = 0; i < n; i++) {
            Object made = new int[i % 32];
            if (i % 4 == 0) kept[1][i / 4] = made;
        }
    }

    @Override
    public void run() {
        objects(4000);
        arrays(4000);
    }

    static void waitFor(String name) throws Exception {
        while (!new java.io.File(name).exists()) Thread.sleep(5);
    }

    public static void main(String[] args) throws Exception {
        System.out.println("waiting");
        waitFor("go1");
        Thread maker = new Thread(new SitesLate());
        maker.start();
        maker.join();
        System.out.println("made");
        waitFor("go2");
    }
}
