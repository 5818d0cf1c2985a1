import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;

/** Allocates native memory with known counts: see native/blocks.c. The library's path is the property `blocks`. */
public class Blocks {
    static final List<Object> kept = new ArrayList<>();

    static native void leak(int count, int bytes);
    static native int all(int count, int bytes, String late, int flags, int loads);
    static native int hooked();

    static Object unsafe;
    static Method allocate, free;

    /** Since JDK 24 the first call prints a warning, for which the VM loads and links classes. */
    static void findUnsafe() throws Exception {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        unsafe = field.get(null);
        allocate = unsafe.getClass().getMethod("allocateMemory", long.class);
        free = unsafe.getClass().getMethod("freeMemory", long.class);
        free.invoke(unsafe, allocate.invoke(unsafe, 1L));
    }

    static void unsafe(int count, int bytes) throws Exception {
        for (int i = 0; i < count; i++) {
            Object address = allocate.invoke(unsafe, (long) bytes);
            if (i % 2 == 1) {
                free.invoke(unsafe, address);
            }
        }
    }

    static void direct(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            kept.add(ByteBuffer.allocateDirect(bytes));
        }
    }

    static void deflate(int count) {
        for (int i = 0; i < count; i++) {
            Deflater deflater = new Deflater();
            kept.add(deflater);
            if (i % 2 == 1) {
                deflater.end();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(System.getProperty("blocks"));
        String what = args[0];
        int count = Integer.parseInt(args[1]), bytes = Integer.parseInt(args[2]);
        // The agent finds a library within a lap; JDK 25 loads libzip when it is first used.
        new Deflater().end();
        Thread.sleep(500);
        switch (what) {
            case "java":
                findUnsafe();
                unsafe(count, bytes);
                direct(count, bytes);
                deflate(count);
                leak(count, bytes);
                break;
            case "leak":
                leak(count, bytes);
                break;
            case "all":
                System.out.println("well " + all(count, bytes, args[3], Integer.parseInt(args[4]), Integer.parseInt(args[5])));
                break;
            case "rounds":
                System.out.println("begun " + hooked());
                System.out.flush();
                for (int n = 0; !new File("stop").exists(); n++) {
                    if (new File("leak").delete()) {
                        leak(count, bytes);
                        System.out.println("leaked");
                    }
                    if (new File("look").delete()) {
                        System.out.println("hooked " + hooked());
                    }
                    System.out.flush();
                    kept.add(ByteBuffer.allocateDirect(16));
                    Thread.sleep(10);
                }
                break;
            default:
                throw new IllegalArgumentException(what);
        }
        Thread.sleep(300);
        System.out.println("done");
    }
}
