/** `args[0]` threads, one after the other on each of two lanes, of about `args[1]` us of CPU time; prints their sum. */
public class Short {
    static long sum;

    static void body(long us) {
        Truth.work(us * 1000);
        long used = Truth.cpu();
        synchronized (Short.class) {
            sum += used;
        }
    }

    public static void main(String[] args) throws Exception {
        final int lanes = 2, count = Integer.parseInt(args[0]);
        final long us = Long.parseLong(args[1]);
        Thread[] lane = new Thread[lanes];
        for (int l = 0; l < lanes; l++) {
            lane[l] = new Thread("lane") {
                public void run() {
                    try {
                        for (int i = 0; i < count / lanes; i++) {
                            Thread thread = new Thread(() -> body(us), "short");
                            thread.start();
                            thread.join();
                        }
                    } catch (InterruptedException e) {
                        throw new RuntimeException(e);
                    }
                }
            };
            lane[l].start();
        }
        for (Thread thread : lane)
            thread.join();
        System.out.println("short " + sum);
    }
}
