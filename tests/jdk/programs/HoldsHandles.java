/** Objects that only the local references of native/handles.c hold, at each of some levels of calls: COUNT LEVELS. */
public class HoldsHandles {
    static class Held {
    }

    static native void hold(int count, int levels);

    static void next(int count, int levels) throws InterruptedException {
        if (levels > 0) {
            hold(count, levels - 1);
        } else {
            System.out.println("ready");
            Thread.sleep(600000);
        }
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("handles");
        next(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    }
}
