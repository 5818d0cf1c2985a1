import java.util.concurrent.LinkedBlockingQueue;

/** Three threads wait for work that never comes, at one condition that nobody has, as those of an idle pool. */
public class IdlePool {
    static final LinkedBlockingQueue<String> QUEUE = new LinkedBlockingQueue<>();

    static void take() {
        try {
            QUEUE.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(IdlePool::take, "idle " + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        System.out.println("ready");
        System.in.read();
    }
}
