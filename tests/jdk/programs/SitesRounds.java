// For each file go0, go1, ... in turn a new thread makes 4000 objects and keeps one in four of them; ends at a file stop.
public class SitesRounds {
    static Object[][] kept = new Object[16][];

    static class Made {
        long a, b;
    }

    static Object make() {
        return new Made();
    }

    static void round(int number) {
        Object[] some = new Object[1000];
        for (int i = 0; i < 4000; i++) {
            Object made = make();
            if (i % 4 == 0) some[i / 4] = made;
        }
        kept[number] = some;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("running");
        for (int i = 0; !new java.io.File("stop").exists();) {
            int number = i;
            if (!new java.io.File("go" + i).exists()) {
                Thread.sleep(2);
                continue;
            }
            Thread maker = new Thread(() -> round(number));
            maker.start();
            maker.join();
            System.out.println("round " + i++);
        }
        System.out.println("stopped");
    }
}
