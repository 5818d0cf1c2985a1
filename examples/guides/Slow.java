// SPDX-License-Identifier: Apache-2.0
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Slow - a shop that is slow in three ways, for docs/guides/slow.md.
 *
 * Each of three threads serves orders. price() computes more than it must, ask() waits for a slow neighbour behind a
 * socket, and book() keeps one lock for too long. The program runs until it is ended.
 */
public class Slow {
    static final Object LEDGER = new Object();
    static volatile long sum;

    public static void main(String[] args) throws Exception {
        ServerSocket warehouse = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        for (int i = 0; i < 3; i++) {
            Socket there = new Socket(warehouse.getInetAddress(), warehouse.getLocalPort());
            Socket here = warehouse.accept();
            start("warehouse-" + i, () -> answer(here));
            start("shop-" + i, () -> serve(there));
        }
    }

    interface Work {
        void run() throws Exception;
    }

    static void start(String name, Work work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name).start();
    }

    static void serve(Socket warehouse) throws Exception {
        for (int order = 0;; order++) {
            price(order);
            ask(warehouse);
            book();
        }
    }

    /** Computes: the pattern of split() is compiled anew for each of the lines, and each price is formatted. */
    static void price(int order) {
        for (int line = 0; line < 4000; line++) {
            String[] parts = (order + " pieces;  of article  " + line).split("[; ]+");
            sum += format(parts.length * 1.19).length();
        }
    }

    static String format(double price) {
        return String.format("%8.2f", price);
    }

    /** Waits for a socket: the other side takes 10 ms to answer. */
    static void ask(Socket warehouse) throws Exception {
        OutputStream out = warehouse.getOutputStream();
        InputStream in = warehouse.getInputStream();
        out.write('?');
        in.read();
    }

    static void answer(Socket shop) throws Exception {
        while (shop.getInputStream().read() >= 0) {
            Thread.sleep(10);
            shop.getOutputStream().write('!');
        }
    }

    /** Waits for a lock: one thread at a time writes into the ledger, and each takes 5 ms. */
    static void book() throws Exception {
        synchronized (LEDGER) {
            Thread.sleep(5);
        }
    }
}
