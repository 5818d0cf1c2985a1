import java.io.File;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Calls that can be counted, each time that a file go0, go1, ... is there: by main, a thread that stays and one that ends. */
public class Again {
    static int leaf(int n) {
        return n + 1;
    }

    static int branch(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += leaf(i);
        return sum;
    }

    static void round(ExecutorService stays, int i) throws Exception {
        branch(1000 + i);
        stays.submit(() -> branch(100)).get();
        Thread ends = new Thread(() -> branch(10));
        ends.start();
        ends.join();
        System.out.println("round " + i);
    }

    public static void main(String[] args) throws Exception {
        ExecutorService stays = Executors.newSingleThreadExecutor();
        stays.submit(() -> branch(1)).get();
        System.out.println("running");
        for (int i = 0; !new File("stop").exists();) {
            if (new File("go" + i).exists())
                round(stays, i++);
            else
                Thread.sleep(2);
        }
        stays.shutdown();
        System.out.println("stopped");
    }
}
