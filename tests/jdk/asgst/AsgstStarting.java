import java.util.concurrent.atomic.AtomicInteger;

/** Threads that start while the library is asked who they are, for starting_test.c; prints as AsgstApi does. */
public class AsgstStarting {
    static native String attachStepwise();
    static native void beginSignals();
    static native long endSignals();
    static native boolean isKnown();

    static final int AT_ONCE = 4;

    static void say(String name, String why) {
        System.out.println(why == null ? "ok " + name : "not ok " + name + ": " + why.replace('\n', ' '));
    }

    static String startMany(int count) throws Exception {
        AtomicInteger known = new AtomicInteger();
        Thread[] threads = new Thread[AT_ONCE];
        beginSignals();
        for (int i = 0; i < count; i += AT_ONCE) {
            for (int j = 0; j < AT_ONCE; j++) {
                threads[j] = new Thread(() -> {
                    if (isKnown())
                        known.incrementAndGet();
                });
                threads[j].start();
            }
            for (Thread thread : threads)
                thread.join();
        }
        long asked = endSignals();
        if (known.get() != count)
            return "of " + count + " threads " + known.get() + " are known";
        return asked < 100 ? "only " + asked + " questions" : null;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        say("stepwise", attachStepwise());
        say("many", startMany(Integer.parseInt(args[1])));
    }
}
