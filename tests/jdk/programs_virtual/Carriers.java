import java.util.concurrent.CountDownLatch;

/*
 * Virtual threads that block in a monitor on one carrier and go on on another one, with two carriers: while one is blocked, a busy
 * thread takes the carrier that it was on. Prints of each "hop NAME moved|stayed held-ns own-ns": how long it was seen to be blocked,
 * and how long by its own clock. The argument is how many; every second one waits to be notified instead of wanting to enter.
 */
public class Carriers {
    static class Gate {
    }

    static final Gate gate = new Gate();

    static class Spinner {
        final CountDownLatch isUp = new CountDownLatch(1);
        volatile boolean isOver;
        volatile String carrier;
        final Thread thread = Thread.ofVirtual().name("spinner").unstarted(() -> {
            carrier = carrier();
            isUp.countDown();
            while (!isOver)
                Thread.onSpinWait();
        });

        Spinner start() throws InterruptedException {
            thread.start();
            isUp.await();
            return this;
        }

        void end() throws InterruptedException {
            isOver = true;
            thread.join();
        }
    }

    static class Hopper {
        volatile String before, after;
        volatile long ownNs;
        final Thread thread;

        Hopper(String name, boolean waits) {
            thread = Thread.ofVirtual().name(name).unstarted(() -> {
                before = carrier();
                long from = System.nanoTime();
                if (waits)
                    waitIn();
                else
                    enter();
                ownNs = System.nanoTime() - from;
                after = carrier();
            });
        }
    }

    static String carrier() {
        String text = Thread.currentThread().toString();
        return text.substring(text.indexOf('@'));
    }

    static void enter() {
        synchronized (gate) {
            return;
        }
    }

    static void waitIn() {
        synchronized (gate) {
            try {
                gate.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Returns with a busy thread on this carrier. */
    static Spinner occupy(String carrier) throws InterruptedException {
        Spinner first = new Spinner().start();
        if (first.carrier.equals(carrier))
            return first;
        Spinner second = new Spinner().start();
        first.end();
        return second;
    }

    static long holdUp(Hopper hopper, Thread.State state) throws InterruptedException {
        while (hopper.thread.getState() != state)
            Thread.sleep(1);
        return System.nanoTime();
    }

    static void hop(int number) throws InterruptedException {
        boolean waits = number % 2 == 1;
        Hopper hopper = new Hopper("hopper-" + number, waits);
        Spinner spinner;
        long from, held;

        if (waits) {
            hopper.thread.start();
            from = holdUp(hopper, Thread.State.WAITING);
            spinner = occupy(hopper.before);
            synchronized (gate) {
                held = System.nanoTime() - from;
                gate.notifyAll();
            }
        } else {
            synchronized (gate) {
                hopper.thread.start();
                from = holdUp(hopper, Thread.State.BLOCKED);
                spinner = occupy(hopper.before);
                held = System.nanoTime() - from;
            }
        }
        hopper.thread.join();
        spinner.end();
        System.out.println("hop " + hopper.thread.getName() + " " + (hopper.before.equals(hopper.after) ? "stayed" : "moved") + " " + held + " "
            + hopper.ownNs);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            hop(i);
    }
}
