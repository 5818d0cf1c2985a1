import java.io.File;
import java.util.concurrent.CountDownLatch;

/** Threads that wait, and end after a collection when the file "end" comes. */
public class ThreadsEnd {
    static final int THREADS = 50;
    static final CountDownLatch END = new CountDownLatch(1);

    static void await() {
        try {
            END.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void waitFor(String file) throws InterruptedException {
        while (!new File(file).exists()) {
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(ThreadsEnd::await, "waits " + i);
            threads[i].start();
        }
        System.out.println("ready");
        waitFor("end");
        System.gc();
        END.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        Thread.sleep(200); // join() returns a little before the VM has freed the thread
        System.out.println("ended");
        waitFor("over");
    }
}
