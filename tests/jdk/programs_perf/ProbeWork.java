import java.io.File;

/** Does, each time that its folder has a file "go", a known number of collections, threads and class loads. */
public class ProbeWork {
    static class LoadedByProbeWork {
        static int used;
    }

    public static void main(String[] args) throws Exception {
        int rounds = 0;
        System.out.println("up");
        for (File go = new File("go");; Thread.sleep(5)) {
            if (!go.exists())
                continue;
            LoadedByProbeWork.used++;
            for (int i = 0; i < 7; i++)
                System.gc();
            Thread thread = new Thread(() -> { }, "known-thread");
            thread.start();
            thread.join();
            go.delete();
            System.out.println("round " + ++rounds);
        }
    }
}
