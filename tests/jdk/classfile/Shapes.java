/*
 * Shapes.java - methods of every shape of control flow; each looks at the shadow stack where it may be wrong.
 *
 * Java 5, so that it compiles to old class files (with jsr and without frames) as well; what is newer is in Shapes8.
 * SPDX-License-Identifier: Apache-2.0
 */
public class Shapes {
    static int sink;

    static void leafThrows() {
        Probe.check();
        throw new IllegalStateException("leaf");
    }

    static void through(int frames) {
        if (frames > 0) {
            through(frames - 1);
        } else {
            leafThrows();
        }
    }

    static void caughtManyFramesUp() {
        for (int i = 0; i < 5; i++) {
            try {
                through(i * 7);
            } catch (IllegalStateException e) {
                Probe.check();
                if (i == 2) {
                    continue;
                }
                Probe.check();
            }
        }
        Probe.check();
    }

    static int recurse(int n) {
        try {
            if (n == 0) {
                through(3);
            }
            return recurse(n - 1) + 1;
        } catch (IllegalStateException e) {
            Probe.check();
            if (n % 3 == 0) {
                return n;
            }
            throw e;
        } finally {
            Probe.check();
            sink += n;
        }
    }

    static int nestedFinally(int how) {
        int r = 0;
        outer:
        while (true) {
            try {
                try {
                    try {
                        if (how == 1) {
                            return 1;
                        }
                        if (how == 2) {
                            break outer;
                        }
                        if (how == 3) {
                            through(2);
                        }
                        if (how == 4) {
                            throw new RuntimeException();
                        }
                    } finally {
                        Probe.check();
                        r += 1;
                        if (how == 5) {
                            leafThrows();
                        }
                    }
                } catch (IllegalStateException e) {
                    Probe.check();
                    if (r < 3) {
                        how = r == 1 ? 5 : 1;
                        continue outer;
                    }
                } finally {
                    Probe.check();
                    r += 10;
                    if (how == 6) {
                        return 6; // whatever was thrown is lost
                    }
                }
                how++;
            } finally {
                Probe.check();
                r += 100;
            }
            if (r > 2000) {
                break;
            }
        }
        Probe.check();
        return r;
    }

    static synchronized long syncMethod(long a, double b, int depth) {
        Probe.check();
        if (depth == 0) {
            throw new ArithmeticException();
        }
        return (long) (a * b) + syncMethod(a + 1, b / 2, depth - 1);
    }

    static int syncBlock(Object lock, boolean fail) {
        synchronized (lock) {
            synchronized (Shapes.class) {
                Probe.check();
                if (fail) {
                    through(1);
                }
            }
        }
        Probe.check();
        return 1;
    }

    static void locksAreFree(final Object lock) {
        try {
            syncBlock(lock, true);
        } catch (IllegalStateException e) {
            Probe.check();
        }
        if (Thread.holdsLock(lock) || Thread.holdsLock(Shapes.class)) {
            Probe.fail("a lock is held");
        }
        syncBlock(lock, false);
    }

    static class Base {
        final int value;

        Base(int value) {
            this.value = value;
            Probe.check();
            if (value < 0) {
                throw new IllegalArgumentException();
            }
        }
    }

    static class Derived extends Base {
        static int argument(int how) {
            Probe.check();
            if (how == 1) {
                throw new IllegalStateException("before super");
            }
            return how == 2 ? -1 : how;
        }

        Derived(int how, long wide, String text) {
            // Frames with an uninitialized this: the conditions among the arguments.
            super(how > 5 ? argument(how) : text == null ? argument(0) : argument(how));
            try {
                Probe.check();
                if (how == 3) {
                    leafThrows();
                }
            } catch (IllegalStateException e) {
                Probe.check();
            }
            if (how == 4) {
                throw new ArithmeticException("after super");
            }
        }
    }

    static void constructors() {
        for (int how = 0; how < 8; how++) {
            try {
                new Derived(how, how, how % 2 == 0 ? null : "x");
                Probe.check();
            } catch (RuntimeException e) {
                Probe.check();
            }
        }
    }

    static class Bad {
        static int v = init();

        static int init() {
            Probe.check();
            through(2);
            return 1;
        }
    }

    static void initializers() {
        for (int i = 0; i < 2; i++) {
            try {
                sink += Bad.v;
            } catch (LinkageError e) {
                Probe.check();
            }
        }
    }

    static int switches(int i) {
        switch (i) {
            case 0:
                return 1;
            case 1:
                try {
                    through(1);
                } catch (IllegalStateException e) {
                    Probe.check();
                    return 2;
                }
                break;
            case 2:
            case 3:
                i += 2;
                break;
            default:
                i--;
        }
        switch (i) {
            case -1000:
                return 3;
            case 70000:
                Probe.check();
                return 4;
            case 1 << 30:
                throw new IllegalStateException();
            default:
                return i;
        }
    }

    static double wide(long a, double b, int c, long[] d, String[][] e) {
        double r = a + b;
        for (int i = 0; i < c; i++) {
            try {
                r += d[i] * b;
                if (i % 2 == 0) {
                    through(i);
                }
            } catch (IllegalStateException x) {
                long more = i;
                r += more;
                Probe.check();
            } catch (ArrayIndexOutOfBoundsException x) {
                Probe.check();
                return e == null ? r : e.length;
            }
        }
        return r;
    }

    static int overflow(int depth, Object lock) {
        try {
            synchronized (lock) {
                return overflow(depth + 1, lock) + 1;
            }
        } finally {
            sink++;
        }
    }

    static void stackOverflow() {
        Object lock = new Object();
        Probe.lenient = true;
        for (int i = 0; i < 20; i++) {
            try {
                overflow(0, lock);
                Probe.fail("no overflow");
            } catch (StackOverflowError e) {
                if (Thread.holdsLock(lock)) {
                    Probe.fail("a lock is held");
                }
            }
            Probe.check();
        }
        Probe.lenient = false;
    }

    static int loopToTheStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static int infinite() {
        while (true) {
            if (sink++ % 7 == 0) {
                return sink;
            }
        }
    }

    public static void runAll() {
        caughtManyFramesUp();
        Probe.check();
        for (int i = 0; i < 40; i++) {
            try {
                recurse(i);
            } catch (IllegalStateException e) {
                Probe.check();
            }
        }
        for (int i = 0; i < 8; i++) {
            try {
                nestedFinally(i);
            } catch (RuntimeException e) {
                Probe.check();
            }
            Probe.check();
        }
        try {
            syncMethod(1, 2, 9);
        } catch (ArithmeticException e) {
            Probe.check();
        }
        locksAreFree(new Object());
        constructors();
        initializers();
        int[] values = {0, 1, 2, 3, 4, -999, 70001, (1 << 30) + 1};
        for (int i = 0; i < values.length; i++) {
            try {
                switches(values[i]);
            } catch (IllegalStateException e) {
                Probe.check();
            }
            Probe.check();
        }
        wide(1, 2.5, 9, new long[8], new String[2][]);
        loopToTheStart(10);
        infinite();
        Probe.check();
        stackOverflow();
        through(5); // not caught in here
    }

    static class All implements Runnable {
        public void run() {
            runAll();
        }
    }
}
