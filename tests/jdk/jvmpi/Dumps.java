/*
 * Objects whose every value is known, until the file "done" is there. SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;

public class Dumps {
    interface Named {
        Object FIRST = new int[1];
        int COUNT = "seven".length() + 2;
    }

    interface More extends Named {
        String TEXT = "more".trim();
        long BIG = System.nanoTime() * 0 + (1L << 40);
    }

    static class Base implements Named {
        static short small = -300;
        static Object held = new byte[] {1, 2, 3};
        byte b = -5;
        Object ref = this;
        long l = 0x0102030405060708L;
    }

    static class Derived extends Base implements More {
        static float half = 0.5f;
        static Object none;
        static double big = 1e300;
        char c = 'x';
        double d = 2.5;
        Object text = "text";
        int[] ints = {1, -2, 3};
        boolean z = true;
        float f = -1.5f;
        short s = -2;
        int i = 123456789;
        Object nothing;
    }

    static class Garbage {
        Object[] more = {new Base()};
    }

    static class UntilDone extends Thread {
        @Override
        public void run() {
            try {
                while (!new File("done").exists())
                    Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final Derived ONE = new Derived();
    static final Object[] ARRAY = {ONE, null, new Base[2][3]};
    static final long[] LONGS = {1, -1, Long.MIN_VALUE};
    static final char[] CHARS = {'a', '\u1234'};
    static final double[] EMPTY = {};
    static final int[] LARGE = new int[6 << 20];
    static final Object LOCAL = new Object();
    static final Object LOCKED = new Object();
    static volatile boolean isReady;

    static void makeGarbage() {
        for (int i = 0; i < 100; i++)
            new Garbage();
    }

    /* A frame that has an object and monitors, in a thread that stands still. */
    static void hold(Object local, Thread until) throws InterruptedException {
        synchronized (LOCKED) {
            synchronized (Base.class) {
                isReady = true;
                until.join();
            }
        }
        if (local.hashCode() == 0)
            System.out.print("");
    }

    public static void main(String[] args) throws Exception {
        Thread until = new UntilDone();

        if (Named.COUNT + More.BIG + More.TEXT.length() == 0)
            return;
        LARGE[LARGE.length - 1] = 77;
        until.start();
        makeGarbage();
        hold(LOCAL, until);
    }
}
