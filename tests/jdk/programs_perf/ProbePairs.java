import java.io.File;

/**
 * Does, each time that its folder has a file "go", a known number of things that begin and end: 7 collections, 5 waits of one
 * monitor, 1 wait of another within a recursion of 6 calls, and 4 calls that an exception ends.
 */
public class ProbePairs {
    static final Object lock = new Object(), inner = new Object();

    static void down(int depth) throws Exception {
        if (depth > 1) {
            down(depth - 1);
            return;
        }
        synchronized (inner) {
            inner.wait(1);
        }
    }

    static void thrown(int i) {
        throw new IllegalStateException("" + i);
    }

    public static void main(String[] args) throws Exception {
        int rounds = 0;
        System.out.println("up");
        for (File go = new File("go");; Thread.sleep(5)) {
            if (!go.exists())
                continue;
            for (int i = 0; i < 7; i++)
                System.gc();
            for (int i = 0; i < 5; i++)
                synchronized (lock) {
                    lock.wait(2);
                }
            down(6);
            for (int i = 0; i < 4; i++)
                try {
                    thrown(i);
                } catch (IllegalStateException e) {
                    // the call has ended
                }
            go.delete();
            System.out.println("round " + ++rounds);
        }
    }
}
