import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that wait without a carrier, for test_debug_listen.py. By reflection, for the class is compiled for JDK 8. */
public class Unmounted {
    static final CountDownLatch COME = new CountDownLatch(3);

    static void waits() {
        COME.countDown();
        while (true) {
            LockSupport.park();
        }
    }

    static void begin(int number) throws Exception {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {
            Thread.currentThread().setName("virtual-" + number);
            waits();
        });
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            begin(i);
        }
        COME.await();
        Thread.sleep(500);
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }
}
