import java.io.FileInputStream;
import java.util.concurrent.CountDownLatch;

/** Programs that are busy in the kernel: reads of /dev/zero, in one thread or many. */
public class Kernel {
    static volatile long sink;

    static void fill(FileInputStream zeros, byte[] into, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            sink += zeros.read(into);
        }
    }

    static void compute(int rounds) {
        long x = sink;
        for (int i = 0; i < rounds; i++) {
            x = x * 31 + (x ^ i);
        }
        sink = x;
    }

    static void one(int rounds) throws Exception {
        byte[] into = new byte[8192];
        try (FileInputStream zeros = new FileInputStream("/dev/zero")) {
            for (int i = 0; i < rounds; i++) {
                fill(zeros, into, 100);
                compute(100000);
            }
        }
    }

    static void many(int count, int rounds) throws Exception {
        CountDownLatch started = new CountDownLatch(count);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(() -> {
                started.countDown();
                try {
                    started.await();
                    one(rounds);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] args) throws Exception {
        many(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.out.println("done");
    }
}
