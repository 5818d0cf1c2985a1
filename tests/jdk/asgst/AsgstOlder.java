/** Calls the natives of older_test.c from some depth and prints `ok NAME` or `not ok NAME: why` for each. */
public class AsgstOlder {
    static native String beforeTheVm();
    static native String here();
    static native String hereWithCFrames();
    static native String callTraceHere();
    static native String ofStoppedThread();
    static native String ofEnvironment();
    static volatile boolean isDone;
    static int sink;

    interface Check {
        String run();
    }

    static String down(int n, Check check) {
        return n == 0 ? check.run() : down(n - 1, check);
    }

    static void say(String name, Check check) {
        String why = down(5, check);
        System.out.println(why == null ? "ok " + name : "not ok " + name + ": " + why);
    }

    static int spin(int n) {
        if (n > 0)
            return spin(n - 1);
        while (!isDone)
            sink++;
        return sink;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        say("before the VM", AsgstOlder::beforeTheVm);
        say("here", AsgstOlder::here);
        say("here with C frames", AsgstOlder::hereWithCFrames);
        say("call trace here", AsgstOlder::callTraceHere);
        Thread worker = new Thread(() -> {
            adopt();
            spin(10);
        });
        worker.start();
        say("stopped thread", AsgstOlder::ofStoppedThread);
        say("environment", AsgstOlder::ofEnvironment);
        isDone = true;
        worker.join();
    }

    static native void adopt(); // the calling thread is the one that is walked
}
