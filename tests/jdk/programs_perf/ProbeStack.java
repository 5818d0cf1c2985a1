import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * Does one thing each time that its folder has a file "go", six methods deep: loads a class, as long as there is one;
 * in a thread that ends at once; in a virtual thread that has parked below, if the argument is "virtual".
 */
public class ProbeStack {
    static class First { static int used; }
    static class Second { static int used; }
    static volatile boolean isVirtual;
    static Thread waiting;

    static void load(int round) {
        if (round == 0)
            First.used++;
        else
            Second.used++;
    }

    static void down(int depth, int round) {
        if (depth > 0) {
            down(depth - 1, round);
            return;
        }
        if (isVirtual)
            LockSupport.park();
        load(round);
    }

    static Thread start(Runnable work) throws Exception {
        if (!isVirtual) {
            Thread thread = new Thread(work, "known-thread");
            thread.start();
            return thread;
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        return (Thread)type.getMethod("start", Runnable.class).invoke(builder, work);
    }

    public static void main(String[] args) throws Exception {
        isVirtual = args.length > 0 && args[0].equals("virtual");
        if (isVirtual)
            waiting = start(() -> down(5, 0));
        System.out.println("up");
        int rounds = 0;
        for (File go = new File("go");; Thread.sleep(5)) {
            if (!go.exists())
                continue;
            int round = rounds;
            if (isVirtual) {
                LockSupport.unpark(waiting);
                waiting.join();
            } else if (round == 0) {
                down(5, 0);
            } else {
                start(() -> down(5, 1)).join();
            }
            go.delete();
            System.out.println("round " + ++rounds);
        }
    }
}
