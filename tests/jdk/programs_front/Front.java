/** Computes, allocates and waits for a lock, for so many milliseconds: whatever a page asks a program for, this one has. */
public class Front {
    static final Object LOCK = new Object();
    static volatile int length;

    static void work(long end) {
        for (int i = 0; System.nanoTime() < end; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = 0; j < 200; j++)
                text.append(i * j);
            synchronized (LOCK) {
                length = text.toString().length();
                sleep();
            }
        }
    }

    static void sleep() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Allocates some MB in any case, however little time there was. */
    static int fill() {
        int sum = 0;
        for (int i = 0; i < 20000; i++)
            sum += String.valueOf(new byte[1000]).length();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (args.length > 0 ? Long.parseLong(args[0]) : 1500) * 1000000L;
        Thread other = new Thread(() -> work(end), "other");
        other.start();
        System.out.println("ready");
        while (System.nanoTime() < end)
            length = fill();
        work(end);
        other.join();
    }
}
