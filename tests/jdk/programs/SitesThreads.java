// Many threads allocate at the same two sites; the arguments are how many threads, how much each, and "virtual" or "".
public class SitesThreads {
    static volatile Object sink;

    static void work(int n) {
        for (int i = 0; i < n; i++) {
            sink = new int[3];
            sink = new SitesThreads();
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        for (int i = 0; i < threads.length; i++) {
            Runnable body = () -> work(n);
            if (args.length > 2)
                threads[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
            else
                threads[i] = new Thread(body, "maker " + i);
        }
        for (Thread thread : threads)
            if (args.length <= 2) thread.start();
        for (Thread thread : threads) thread.join();
        sink = null;
    }
}
