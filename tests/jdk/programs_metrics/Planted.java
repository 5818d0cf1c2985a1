import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.LockSupport;
import sun.misc.Unsafe;

/** Has known amounts of each kind of memory, all of it touched, and then does nothing. Sizes are in MB, from the command line. */
public class Planted {
    static final int MB = 1 << 20, SMALL = 8 << 10, PAGE = 4096;
    static Object[] kept = new Object[8];

    static void touch(ByteBuffer buffer) {
        for (int i = 0; i < buffer.capacity(); i += PAGE)
            buffer.put(i, (byte)1);
        buffer.put(buffer.capacity() - 1, (byte)1);
    }

    static byte[][] heap(int megabytes) {
        byte[][] arrays = new byte[megabytes * 4][];
        for (int i = 0; i < arrays.length; i++) {
            arrays[i] = new byte[MB / 4];
            java.util.Arrays.fill(arrays[i], (byte)1);
        }
        return arrays;
    }

    /** Half in buffers of a megabyte, half in small ones. */
    static ByteBuffer[] direct(int megabytes) {
        ByteBuffer[] buffers = new ByteBuffer[megabytes / 2 + megabytes / 2 * (MB / SMALL)];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = ByteBuffer.allocateDirect(i < megabytes / 2 ? MB : SMALL);
            touch(buffers[i]);
        }
        return buffers;
    }

    static MappedByteBuffer mapped(int megabytes) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile("planted.data", "rw")) {
            file.setLength((long)megabytes * MB);
            MappedByteBuffer buffer = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, (long)megabytes * MB);
            touch(buffer);
            return buffer;
        }
    }

    /** A block of malloc() that no direct buffer has. */
    static void allocated(int megabytes) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe)field.get(null);
        long address = unsafe.allocateMemory((long)megabytes * MB);
        for (long at = 0; at < (long)megabytes * MB; at += PAGE)
            unsafe.putByte(address + at, (byte)1);
    }

    static void threads(int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                for (;;)
                    LockSupport.park();
            }, "planted-" + i);
            thread.setDaemon(true);
            thread.start();
            while (thread.getState() != Thread.State.WAITING)
                Thread.yield();
        }
    }

    public static void main(String[] args) throws Exception {
        int[] n = new int[5];
        for (int i = 0; i < n.length; i++)
            n[i] = Integer.parseInt(args[i]);
        kept[0] = heap(n[0]);
        kept[1] = direct(n[1]);
        kept[2] = mapped(n[2]);
        allocated(n[3]);
        threads(n[4]);
        System.gc();
        Thread.sleep(500);
        System.out.println("running");
        Thread.sleep(3600_000);
        throw new AssertionError(kept[0]);
    }
}
