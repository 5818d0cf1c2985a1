import java.io.File;

/** Threads begin and end all the time, until the file "stop" comes. */
public class ThreadsChurn {
    static volatile boolean isOver;

    static void churn() {
        while (!isOver) {
            Thread short_ = new Thread(() -> { });
            short_.start();
            try {
                short_.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            new Thread(ThreadsChurn::churn).start();
        }
        System.out.println("running");
        while (!new File("stop").exists()) {
            Thread.sleep(10);
        }
        isOver = true;
        System.out.println("stopped");
    }
}
