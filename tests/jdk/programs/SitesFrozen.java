// Virtual threads that sleep below ten calls and allocate when they come back: their callers are still in the heap then.
public class SitesFrozen {
    static volatile Object sink;

    static class Made {
    }

    static void deep(int level) throws Exception {
        if (level > 0) {
            deep(level - 1);
            return;
        }
        for (int i = 0; i < 20; i++) {
            Thread.sleep(1);
            sink = new Made();
        }
    }

    static void here() {
        try {
            deep(6);
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static void there() {
        try {
            deep(6);
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[20];
        for (int i = 0; i < threads.length; i++) {
            Runnable work = i % 4 == 0 ? SitesFrozen::here : SitesFrozen::there;
            threads[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        }
        for (Thread thread : threads) thread.join();
    }
}
