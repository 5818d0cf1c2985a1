import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Programs that are busy in native code: see native/chain.c. The library's path is the property `chain`. */
public class Chain {
    static volatile long sink;

    static native long down(long rounds);
    static native int round(long rounds);
    static native int deep(long rounds);
    static native void thread(int ms, boolean masked);

    static int busy(long rounds) {
        long x = 1;
        for (long i = 0; i < rounds; i++) {
            x = x * 31 + (x ^ i);
        }
        sink += x;
        return (int) x;
    }

    static long again(long rounds) {
        return down(rounds) + 1;
    }

    static void zip() {
        byte[] from = new byte[1 << 16], to = new byte[1 << 17];
        for (int i = 0; i < from.length; i++) {
            from[i] = (byte) ((i * 0x9e3779b1 >>> 27) + (i & 7)); // not too easy: the time is spent in libz
        }
        Deflater deflater = new Deflater(9);
        deflater.setInput(from);
        deflater.finish();
        sink += deflater.deflate(to);
        deflater.end();
        CRC32 crc = new CRC32();
        crc.update(to);
        sink += crc.getValue();
    }

    static void intern() {
        for (int i = 0; i < 2000; i++) {
            sink += ("name" + i + sink).intern().length();
        }
    }

    static void garbage(List<Object> kept) {
        for (int i = 0; i < 20000; i++) {
            kept.add(new byte[100]);
        }
        if (kept.size() > 200000) {
            kept.clear();
        }
    }

    public static void main(String[] args) {
        List<Object> kept = new ArrayList<>();
        int n = Integer.parseInt(args[1]);
        if (!args[0].equals("vm")) {
            System.load(System.getProperty("chain"));
        }
        for (int i = 0; i < n; i++) {
            switch (args[0]) {
            case "down":
                sink += down(2000000);
                break;
            case "round":
                sink += round(2000000);
                break;
            case "deep":
                sink += deep(2000000);
                break;
            case "thread":
                thread(1000, false);
                break;
            case "masked":
                thread(1000, true);
                break;
            default:
                zip();
                intern();
                garbage(kept);
            }
        }
        System.out.println("done");
    }
}
