// Makes as many bytes in small arrays as in large ones, in turn: main(bytes of a large one, large ones).
public class AllocatesAlike {
    static volatile Object sink;

    static byte[] small(int bytes) {
        return new byte[bytes - 16];
    }

    static byte[] large(int bytes) {
        return new byte[bytes - 16];
    }

    public static void main(String[] args) {
        int large = Integer.parseInt(args[0]), count = Integer.parseInt(args[1]), small = 1024;

        for (int i = 0; i < count; i++) {
            for (int j = 0; j < large / small; j++)
                sink = small(small);
            sink = large(large);
        }
    }
}
