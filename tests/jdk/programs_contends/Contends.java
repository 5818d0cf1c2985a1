import java.util.concurrent.locks.LockSupport;

/** Waits for locks of native code: COUNT times in each way, in a method of its own; and in ways that are no waits for such locks. */
public class Contends {
    static native void way(int way, int count);

    static native void free(int count);

    static native String check();

    static native void hold();

    static native void take();

    static void mutex(int count) {
        way(0, count);
    }

    static void read(int count) {
        way(1, count);
    }

    static void write(int count) {
        way(2, count);
    }

    static void condition(int count) {
        way(3, count);
    }

    static void semaphore(int count) {
        way(4, count);
    }

    static void uncontended() {
        free(1000000);
    }

    static void owned() throws InterruptedException {
        Thread owner = new Thread(Contends::hold, "the-owner");
        owner.start();
        take();
        owner.join();
    }

    /** Waits of Java, which are the VM's waits for conditions. */
    static void idle() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            Thread.sleep(20);
            LockSupport.parkNanos(20_000_000);
            synchronized (Contends.class) {
                Contends.class.wait(20);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        System.load(System.getProperty("contends"));
        /* A library that is loaded late gets its hooks a little later. */
        Thread.sleep(1000);
        String wrong = check();
        mutex(count);
        read(count);
        write(count);
        condition(count);
        semaphore(count);
        uncontended();
        owned();
        idle();
        System.out.println(wrong.isEmpty() ? "done" : "wrong: " + wrong);
    }
}
