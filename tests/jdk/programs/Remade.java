/**
 * Two threads that make objects, and two whose objects a compiler keeps in registers while they compute, which a walk of
 * the heap makes real. Prints "ready", and ends when the file "stop" is there.
 */
public class Remade {
    static volatile Object kept;
    static volatile long last;

    static final class Point {
        final long x;

        Point(long x) {
            this.x = x;
        }
    }

    static long turns(long seed) {
        Point a = new Point(seed), b = new Point(seed + 1), c = new Point(seed + 2);
        long sum = 0;
        for (long i = 0; i < 100000000L; i++) {
            sum = sum * 31 + i;
        }
        return sum + a.x + b.x + c.x;
    }

    static void make() {
        for (int i = 0;; i = (i + 1) % 50) {
            kept = new byte[16 + i];
        }
    }

    static void keep() {
        for (long i = 0; ; i++) {
            last = turns(i);
        }
    }

    static void start(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            start(Remade::make);
            start(Remade::keep);
        }
        System.out.println("ready");
        while (!new java.io.File("stop").exists()) {
            Thread.sleep(10);
        }
        System.out.println("done");
    }
}
