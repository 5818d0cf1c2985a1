// Allocates known numbers of bytes in known places, on the thread main and on one of its own: MB of small objects, of
// arrays, of clones, and four times as much of large arrays. With "forever" it goes on, printing "running" at first.
public class Allocates {
    static final class Small {
        long a, b; // 32 bytes with its header, or 24
    }

    static volatile Object sink;

    static void small(long bytes) {
        for (long i = bytes / 32; i > 0; i--)
            sink = new Small();
    }

    static void arrays(long bytes) {
        for (long i = bytes / 1040; i > 0; i--)
            sink = new byte[1024];
    }

    static void clones(long bytes) {
        int[] one = new int[256];

        for (long i = bytes / 1040; i > 0; i--)
            sink = one.clone();
    }

    static void large(long bytes) {
        for (long i = bytes / (2 << 20); i > 0; i--)
            sink = new long[(2 << 20) / 8 - 2];
    }

    static void round(long bytes) {
        small(bytes);
        arrays(bytes);
        clones(bytes);
        large(4 * bytes);
    }

    public static void main(String[] args) throws Exception {
        long bytes = Long.parseLong(args[0]) << 20;
        Thread other = new Thread(() -> arrays(bytes), "other");

        if (args.length > 1)
            System.out.println("running");
        do {
            round(bytes);
        } while (args.length > 1);
        other.start();
        other.join();
    }
}
