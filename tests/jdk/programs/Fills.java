/** A thread that is in the VM nearly all the time, called from Java without a native method: it makes large arrays. */
public class Fills {
    static byte[] sink;

    static void fills(long end) {
        while (System.nanoTime() < end)
            sink = new byte[8 << 20];
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000;
        Thread thread = new Thread(() -> fills(end), "fills");
        thread.start();
        thread.join();
        System.out.println("done");
    }
}
