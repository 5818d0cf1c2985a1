import java.util.ArrayList;
import java.util.List;

/**
 * Some of what it makes lives, by place: leaks and recent to the end, dropped for a while, churn not at all. Arguments: MB of each; or
 * "forever": of leaks KEPT live at any time.
 */
public class Leaks {
    static final int LENGTH = 1000;
    static final int KEPT = 4000;
    static List<byte[]> leaked = new ArrayList<>();
    static List<byte[]> kept = new ArrayList<>();
    static List<byte[]> young = new ArrayList<>();
    static volatile byte[] sink;

    static byte[] leaks() {
        return new byte[LENGTH];
    }

    static byte[] dropped() {
        return new byte[LENGTH];
    }

    static byte[] churn() {
        return new byte[LENGTH];
    }

    static byte[] recent() {
        return new byte[LENGTH];
    }

    static void goOn() throws Exception {
        byte[][] ring = new byte[KEPT][];
        System.out.println("running");
        for (int i = 0;; i++) {
            ring[i % KEPT] = leaks();
            sink = churn();
            if (i % KEPT == 0)
                System.gc();
            if (i % 100 == 0)
                Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("forever"))
            goOn();
        int count = Integer.parseInt(args[0]) * ((1 << 20) / LENGTH);
        for (int i = 0; i < count; i++) {
            leaked.add(leaks());
            kept.add(dropped());
            for (int n = 0; n < 4; n++)
                sink = churn();
        }
        kept = null;
        sink = null;
        for (int i = 0; i < 3; i++)
            System.gc();
        for (int i = 0; i < count / 2; i++)
            young.add(recent());
        System.out.println(leaked.size() + " " + young.size());
    }
}
