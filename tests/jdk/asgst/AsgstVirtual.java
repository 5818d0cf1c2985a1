// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread's stack, mounted and with frames that were left in the heap, as virtual_test.c walks it and as Java
 * has it; prints as AsgstApi does. Arguments: the library; depth.
 */
public class AsgstVirtual {
    static native String walk(boolean withC);

    static int depth;
    static long sink;
    static List<String> problems = new ArrayList<>();

    static void enter(Runnable last) {
        down(depth, last);
        sink++;
    }

    static void down(int n, Runnable last) {
        if (n > 0)
            other(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, last);
        else
            last.run();
        sink++;
    }

    /** More arguments than there are registers for them. */
    static void other(int n, long a, long b, long c, long d, long e, long f, long g, long h, long i, Runnable last) {
        sink += a + b + c + d + e + f + g + h + i;
        down(n, last);
        sink++;
    }

    /** What Java says of the callers of this method, then those of the walk, from the same line. */
    static void compare(boolean wasUnmounted) {
        for (int i = 0; i < 2; i++) {
            String[] ours = walk(i == 1).split("\n"); StackTraceElement[] truth = new Throwable().getStackTrace();
            check(ours, truth, wasUnmounted, i == 1);
        }
    }

    /** What Java leaves out of its stack traces. */
    static boolean isHidden(String name) {
        return name.contains("Lambda") || name.startsWith("java/lang/Thread.runWith:");
    }

    static String difference(List<String> ours, List<String> wanted) {
        int at = 0;
        while (at < ours.size() && at < wanted.size() && ours.get(at).equals(wanted.get(at)))
            at++;
        return "frame " + at + " is " + (at < ours.size() ? ours.get(at) : "none") + ", not "
                + (at < wanted.size() ? wanted.get(at) : "none");
    }

    static void check(String[] ours, StackTraceElement[] truth, boolean wasUnmounted, boolean withC) {
        List<String> own = new ArrayList<>(), carrier = new ArrayList<>();
        int heap = 0, stackBehindHeap = 0;
        boolean isCarrier = false;
        for (String line : ours) {
            String[] part = line.split(" ");
            if (part.length != 3) {
                problems.add(line);
                return;
            }
            if (part[0].equals("4") || isHidden(part[1]))
                continue;
            (isCarrier ? carrier : own).add(part[1]);
            heap += part[2].equals("heap") ? 1 : 0;
            if (heap > 0 && !isCarrier && part[2].equals("stack"))
                stackBehindHeap++;
            isCarrier |= part[1].startsWith("java/lang/VirtualThread.run:");
        }
        List<String> wanted = new ArrayList<>();
        wanted.add("AsgstVirtual.walk:-1");
        for (StackTraceElement e : truth)
            wanted.add(e.getClassName().replace('.', '/') + "." + e.getMethodName() + ":" + e.getLineNumber());
        if (!own.equals(wanted))
            problems.add(difference(own, wanted));
        if (!carrier.toString().contains("jdk/internal/vm/Continuation.run:")
                || !carrier.get(carrier.size() - 1).startsWith("java/util/concurrent/ForkJoinWorkerThread.run:"))
            problems.add("carrier's frames " + carrier);
        if (wasUnmounted != heap > 0 || stackBehindHeap > 0)
            problems.add(heap + " frames in the heap, behind them of the thread " + stackBehindHeap);
        if (withC != (ours.length > 0 && ours[0].startsWith("4 ")))
            problems.add("C frames: " + ours[0]);
    }

    static void comeBack() {
        LockSupport.parkNanos(5_000_000L);
        compare(true);
    }

    static void onVirtualThread(String name, Runnable body) throws Exception {
        problems.clear();
        // By reflection: compiled for JDK 8.
        Object thread = Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        ((Thread) thread).join();
        System.out.println((problems.isEmpty() ? "ok " : "not ok ") + name);
        for (String problem : problems)
            System.err.println(problem);
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        depth = Integer.parseInt(args[1]);
        onVirtualThread("mounted", () -> enter(() -> compare(false)));
        onVirtualThread("frozen", () -> enter(AsgstVirtual::comeBack));
        System.gc();
        for (int i = 0; i < 3000; i++) // compiles the way down
            onNothing();
        onVirtualThread("mounted, compiled", () -> enter(() -> compare(false)));
        onVirtualThread("frozen, compiled", () -> enter(AsgstVirtual::comeBack));
    }

    static void onNothing() {
        enter(() -> sink++);
    }
}
