import com.sun.management.UnixOperatingSystemMXBean;
import java.io.RandomAccessFile;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Has threads, buffers and garbage, says what its management beans say of itself, and then does nothing: what another program reads of
 * it meanwhile must be the same.
 */
public class Beans {
    static final Object held = new Object();
    static Object[] kept = new Object[64];

    static void start(String name, boolean isDaemon, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(isDaemon);
        thread.start();
        while (thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE)
            Thread.yield();
    }

    static void sleep() {
        try {
            Thread.sleep(3600_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void park() {
        for (;;)
            LockSupport.park();
    }

    static void churn(int megabytes) {
        for (int i = 0; i < megabytes * 16; i++)
            kept[i % kept.length] = new byte[64 << 10];
    }

    /** A thread that has ended: what it allocated counts on. */
    static void churnElsewhere() throws InterruptedException {
        Thread thread = new Thread(() -> churn(32), "ended");
        thread.start();
        thread.join();
    }

    static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words)
            line.append(line.length() > 0 ? "|" : "").append(word);
        System.out.println(line);
    }

    static void tell() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            say("pool", pool.getName(), pool.getType().name(), pool.getUsage().getUsed(), pool.getUsage().getCommitted(), pool.getUsage().getMax());
        for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans())
            say("gc", gc.getName(), gc.getCollectionCount(), gc.getCollectionTime());
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
            say("buffer", pool.getName(), pool.getCount(), pool.getMemoryUsed(), pool.getTotalCapacity());
        ClassLoadingMXBean loading = ManagementFactory.getClassLoadingMXBean();
        say("class", loading.getTotalLoadedClassCount(), loading.getUnloadedClassCount());
        say("cpus", Runtime.getRuntime().availableProcessors());
        say("heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        UnixOperatingSystemMXBean os = (UnixOperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        say("files", os.getOpenFileDescriptorCount(), os.getMaxFileDescriptorCount());
        say("threads", ManagementFactory.getThreadMXBean().getThreadCount(), ManagementFactory.getThreadMXBean().getDaemonThreadCount(),
            ManagementFactory.getThreadMXBean().getPeakThreadCount(), ManagementFactory.getThreadMXBean().getTotalStartedThreadCount());
        Map<String, Integer> states = new TreeMap<>();
        long allocated = 0;
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            allocated += Math.max(threads.getThreadAllocatedBytes(thread.getId()), 0);
            /* The main thread sleeps from now on. */
            String state = thread == Thread.currentThread() ? "TIMED_WAITING" : thread.getState().name();
            states.merge(thread.isDaemon() + "|" + state.toLowerCase(), 1, Integer::sum);
        }
        for (Map.Entry<String, Integer> entry : states.entrySet())
            say("state", entry.getKey(), entry.getValue());
        say("allocated", allocated);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++)
            start("sleeps-" + i, true, Beans::sleep);
        for (int i = 0; i < 2; i++)
            start("parks-" + i, false, Beans::park);
        Thread holder = new Thread(() -> {
            synchronized (held) {
                sleep();
            }
        }, "holds");
        holder.setDaemon(true);
        holder.start();
        while (holder.getState() != Thread.State.TIMED_WAITING)
            Thread.yield();
        start("waits", true, () -> {
            synchronized (held) {
                throw new AssertionError();
            }
        });
        ByteBuffer[] buffers = {ByteBuffer.allocateDirect(1 << 20), ByteBuffer.allocateDirect(1 << 16), null};
        try (RandomAccessFile file = new RandomAccessFile("mapped", "rw")) {
            file.setLength(1 << 17);
            buffers[2] = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 1 << 17);
        }
        kept[0] = buffers;
        churn(Integer.parseInt(args[0]));
        churnElsewhere();
        /* What the telling itself loads and allocates is over after the first time. */
        for (int i = 0; i < 3; i++)
            tell();
        System.gc();
        /* Until the threads that a collection wakes are idle again. */
        Thread.sleep(500);
        say("told");
        tell();
        say("running");
        sleep();
        throw new AssertionError(kept[0]);
    }
}
