/** Full collections, one after the other, and a thread that waits 20 calls deep meanwhile. */
public class GcStack {
    static Object[] live = new Object[400000];

    static void deep(int calls) throws InterruptedException {
        if (calls == 1)
            synchronized (live) {
                live.wait();
            }
        else
            deep(calls - 1);
    }

    public static void main(String[] args) throws Exception {
        Thread waiter = new Thread("waiter") {
            public void run() {
                try {
                    deep(20);
                } catch (InterruptedException e) {
                    return;
                }
            }
        };
        waiter.start();
        for (int i = 0; i < live.length; i++)
            live[i] = new int[i % 20];
        while (waiter.getState() != Thread.State.WAITING)
            Thread.sleep(1);
        System.gc();
        System.out.println("ready");
        while (true)
            System.gc();
    }
}
