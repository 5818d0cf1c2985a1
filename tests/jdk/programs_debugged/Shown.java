import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a debugger is to see, for test_debug_listen.py; nothing of it moves once "ready" is printed. */
public class Shown {
    interface Named<T> {
        T name();
    }

    enum Colour { RED, GREEN }

    static class Base<T> implements Named<String> {
        protected final T item;
        private final long big = 1L << 40;
        volatile double exact = 0.1;
        transient float small = -1.5f;

        Base(T item) {
            this.item = item;
        }

        public String name() {
            return "base of " + item + big;
        }
    }

    static final class Derived extends Base<List<String>> {
        static int made;
        boolean flag = true;
        byte tiny = -3;
        char letter = '\u20ac';
        short little = 300;
        int number;
        Base<?> other;
        int[] numbers = {1, -2, 3};
        Object[][] deep = {{"x", null}, {this}, null};
        Colour colour = Colour.GREEN;
        Class<?> type = Map.class;

        Derived(int number, List<String> item) {
            super(item);
            this.number = number;
            made++;
        }
    }

    static final Object WAITED = new Object(), HELD = new Object();
    static final Map<String, Derived> KEPT = new HashMap<>();
    static final String TEXT = "caf\u00e9 \u20ac \ud83d\ude00 \ud800 end", EMPTY = "", LATIN = "\u00e9\u0001";
    static final long[] LONGS = {Long.MIN_VALUE, 0, Long.MAX_VALUE};
    static final boolean[] NONE = {};
    static Derived first, second;
    static String nothing;

    /* All kinds of variables, one of which has gone and one of which has not come yet. */
    static long inner(int number, long wide, double exact, String text, Derived object, int[] array, boolean flag) throws InterruptedException {
        char letter = (char) ('a' + number);
        float small = number / 2f;
        byte tiny = (byte) -number;
        short little = (short) (number * 100);
        Object none = null;
        for (int i = 0; i < 3; i++) {
            wide += i;
        }
        List<String> list = object.item;
        synchronized (WAITED) {
            synchronized (object) {
                WAITED.wait();
            }
        }
        String later = text + letter + small + tiny + little + none + list;
        return later.length() + wide;
    }

    long outer(int times) throws InterruptedException {
        long sum = 0;
        sum += inner(times, 1L << 33, 2.5, "argument", first, new int[] {7, 8}, true);
        return sum;
    }

    static void hold() throws InterruptedException {
        synchronized (HELD) {
            synchronized (HELD) {
                Thread.sleep(1000000);
            }
        }
    }

    static void enter() {
        synchronized (HELD) {
            first.number++;
        }
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static Thread start(ThreadGroup group, String name, final Body body) {
        Thread thread = new Thread(group, name) {
            @Override
            public void run() {
                try {
                    body.run();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void until(Thread.State state, Thread thread) throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        List<String> list = new ArrayList<>();
        list.add("one");
        list.add(TEXT);
        first = new Derived(41, list);
        second = new Derived(42, list);
        first.other = second;
        second.other = new Base<Integer>(5);
        KEPT.put("first", first);
        KEPT.put("second", second);
        ThreadGroup group = new ThreadGroup("shown");
        Thread waiter = start(group, "waiter", () -> new Shown().outer(4));
        Thread holder = start(group, "holder", Shown::hold);
        until(Thread.State.WAITING, waiter);
        until(Thread.State.TIMED_WAITING, holder);
        until(Thread.State.BLOCKED, start(null, "blocked", Shown::enter));
        System.out.println("ready");
        Thread.sleep(1000000);
    }
}
