import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/** Each thread spends its life in one way, in a method of that name, and says how many milliseconds that took. */
public class Spends {
    static final Object bell = new Object(), gate = new Object();
    static volatile long sink;
    static long end;

    static long left() {
        return Math.max(0, (end - System.nanoTime()) / 1000000);
    }

    static void sleeps() throws Exception {
        Thread.sleep(left());
    }

    static void waits() throws Exception {
        synchronized (bell) {
            for (long ms; (ms = left()) > 0;)
                bell.wait(ms);
        }
    }

    static void parks() throws Exception {
        while (left() > 0)
            LockSupport.parkNanos(end - System.nanoTime());
    }

    static void reads() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket one = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            Thread closer = new Thread(() -> {
                try {
                    Thread.sleep(left());
                    other.close();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "closer");
            closer.start();
            InputStream in = one.getInputStream();
            in.read();
            closer.join();
        }
    }

    static void enters() {
        synchronized (gate) {
            sink++;
        }
    }

    static void computes() {
        long x = 1;
        while (end - System.nanoTime() > 0)
            for (int i = 0; i < 1000; i++)
                x = x * 6364136223846793005L + i;
        sink = x;
    }

    interface Work {
        void run() throws Exception;
    }

    static Thread start(String name, Work work) {
        Thread t = new Thread(() -> {
            long begin = System.nanoTime();
            try {
                work.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
            System.out.println(name + " " + (System.nanoTime() - begin) / 1000000);
        }, name);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        end = System.nanoTime() + Long.parseLong(args[0]) * 1000000;
        Thread[] all;
        synchronized (gate) {
            all = new Thread[] {start("sleeps", Spends::sleeps), start("waits", Spends::waits), start("parks", Spends::parks),
                start("reads", Spends::reads), start("enters", Spends::enters), start("computes", Spends::computes)};
            System.out.println("begun");
            Thread.sleep(left());
        }
        for (Thread t : all)
            t.join();
        System.out.println("done");
    }
}
