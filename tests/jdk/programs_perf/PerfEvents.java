import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;

/** Threads with a known number of page faults and waits, which say what the kernel counted for them. */
public class PerfEvents {
    private static volatile ByteBuffer kept;

    private static long[] own() throws Exception {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")), "ISO-8859-1");
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long switches = 0;
        for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status")))
            if (line.contains("ctxt_switches"))
                switches += Long.parseLong(line.replaceAll(".*\\s", ""));
        return new long[] {Long.parseLong(words[7]) + Long.parseLong(words[9]), switches};
    }

    private static void touch(int megabytes) {
        kept = ByteBuffer.allocateDirect(megabytes << 20);
    }

    private static void waits(int count) {
        for (int i = 0; i < count; i++)
            LockSupport.parkNanos(1000000);
    }

    private static void run(String what, int number) {
        try {
            long[] before = own();
            if (what.equals("touch"))
                touch(number);
            else
                waits(number);
            long[] after = own();
            synchronized (PerfEvents.class) {
                System.out.println(what + " " + (after[0] - before[0]) + " " + (after[1] - before[1]));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(args[2])];
        own();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> run(args[0], Integer.parseInt(args[1])), "perf-" + i);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("done");
        if (args.length > 3)
            Thread.sleep(Long.MAX_VALUE);
    }
}
