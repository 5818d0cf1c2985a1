import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Counts its own calls, and prints them as "calls METHOD COUNT": what cpu=times has to find. */
public class Calls {
    static final Map<String, AtomicLong> seen = new ConcurrentHashMap<>();

    static void hit(String method) {
        AtomicLong count = seen.get(method);
        if (count == null) {
            seen.putIfAbsent(method, new AtomicLong());
            count = seen.get(method);
        }
        count.incrementAndGet();
    }

    // ---- recursion

    static int fib(int n) {
        hit("Calls.fib");
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static boolean even(int n) {
        hit("Calls.even");
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        hit("Calls.odd");
        return n != 0 && even(n - 1);
    }

    static void recursion() {
        hit("Calls.recursion");
        for (int i = 0; i < 40; i++)
            fib(13);
        for (int i = 0; i < 100; i++)
            even(60);
    }

    // ---- exceptions

    static class Oops extends RuntimeException {
        final int depth;
        Oops(int depth) {
            super("oops", null, false, false);
            hit("Calls$Oops.<init>");
            this.depth = depth;
        }
    }

    static void fall(int n) {
        hit("Calls.fall");
        if (n == 0)
            throw new Oops(0);
        fall(n - 1);
    }

    /* Catches at every third level and throws on: a handler within the recursion that it handles. */
    static int rethrow(int n) {
        hit("Calls.rethrow");
        if (n == 0)
            throw new Oops(n);
        if (n % 3 != 0)
            return rethrow(n - 1) + 1;
        try {
            return rethrow(n - 1) + 1;
        } catch (Oops e) {
            handled();
            throw e;
        } finally {
            finished();
        }
    }

    static void handled() {
        hit("Calls.handled");
    }

    static void finished() {
        hit("Calls.finished");
    }

    static int deep(int n) {
        hit("Calls.deep");
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static void exceptions() {
        hit("Calls.exceptions");
        for (int i = 0; i < 300; i++) {
            try {
                fall(i % 50);
            } catch (Oops e) {
                handled();
            }
            try {
                rethrow(i % 20);
            } catch (Oops e) {
                handled();
            }
            deep(5);
        }
    }

    /* Ends a thread by an exception that nobody catches. */
    static void uncaught() throws InterruptedException {
        hit("Calls.uncaught");
        Thread thread = new Thread(new Runnable() {
            public void run() {
                hit("Calls$1.run");
                fall(7);
            }
        }, "falls");
        thread.setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
            public void uncaughtException(Thread t, Throwable e) {
                hit("Calls$2.uncaughtException");
            }
        });
        thread.start();
        thread.join();
    }

    // ---- constructors and initializers

    static class Base {
        Base(int n) {
            hit("Calls$Base.<init>");
            if (n % 5 == 0)
                throw new Oops(n);
        }
    }

    static class Derived extends Base {
        Derived(int n) {
            super(argument(n));
            hit("Calls$Derived.<init> behind super()");
            if (n % 7 == 0)
                throw new Oops(n);
        }

        static int argument(int n) {
            hit("Calls$Derived.argument");
            hit("Calls$Derived.<init>"); // called once for each, before super()
            return n;
        }
    }

    static class Lazy {
        static final int value;
        static {
            hit("Calls$Lazy.<clinit>");
            value = fib(5);
        }
    }

    static class Broken {
        static final int value;
        static {
            hit("Calls$Broken.<clinit>");
            value = broken();
        }

        static int broken() {
            hit("Calls$Broken.broken");
            throw new Oops(1);
        }
    }

    static void constructors() {
        hit("Calls.constructors");
        for (int i = 0; i < 210; i++) {
            try {
                new Derived(i);
            } catch (Oops e) {
                handled();
            }
        }
        deep(Lazy.value);
        try {
            deep(Broken.value);
        } catch (ExceptionInInitializerError e) {
            handled();
        }
    }

    // ---- interfaces and lambdas

    interface Shape {
        int sides();

        default int twice() {
            hit("Calls$Shape.twice");
            return 2 * sides();
        }

        static Shape of(int n) {
            hit("Calls$Shape.of");
            return n % 2 == 0 ? new Square() : new Triangle();
        }
    }

    static class Square implements Shape {
        public int sides() {
            hit("Calls$Square.sides");
            return 4;
        }
    }

    static class Triangle implements Shape {
        public int sides() {
            hit("Calls$Triangle.sides");
            return 3;
        }

        public int twice() {
            hit("Calls$Triangle.twice");
            return Shape.super.twice();
        }
    }

    static int apply(Shape shape) {
        hit("Calls.apply");
        return shape.sides();
    }

    static void interfaces() {
        hit("Calls.interfaces");
        int sum = 0;
        for (int i = 0; i < 500; i++) {
            sum += Shape.of(i).twice();
            final int n = i;
            sum += apply(() -> {
                hit("Calls.lambda");
                return n;
            });
        }
        if (sum == 42)
            System.out.println(sum);
    }

    // ---- threads

    static synchronized void locked() {
        hit("Calls.locked");
    }

    static void work(int n) {
        hit("Calls.work");
        for (int i = 0; i < n; i++)
            locked();
    }

    static void pause() {
        hit("Calls.pause");
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new Oops(0);
        }
    }

    static void threads() throws InterruptedException {
        hit("Calls.threads");
        Thread[] threads = new Thread[20];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread("worker" + i) {
                public void run() {
                    hit("Calls$3.run");
                    work(200);
                }
            };
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
    }

    /* A thread that never ends, with calls that never end. */
    static void never() throws InterruptedException {
        hit("Calls.never");
        final CountDownLatch inside = new CountDownLatch(1);
        Thread thread = new Thread("never") {
            public void run() {
                hit("Calls$4.run");
                sink(30, inside);
            }
        };
        thread.setDaemon(true);
        thread.start();
        inside.await();
    }

    static void sink(int n, CountDownLatch inside) {
        hit("Calls.sink");
        if (n > 0)
            sink(n - 1, inside);
        inside.countDown();
        for (;;) {
            try {
                Thread.sleep(100000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static void virtual() throws Exception {
        hit("Calls.virtual");
        final int count = 3000;
        final CountDownLatch ended = new CountDownLatch(count);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < count; i++) {
            final int n = i;
            start.invoke(null, new Runnable() {
                public void run() {
                    hit("Calls$5.run");
                    work(n % 10);
                    pause();
                    work(n % 7);
                    try {
                        fall(n % 4);
                    } catch (Oops e) {
                        pause();
                    }
                    ended.countDown();
                }
            });
        }
        ended.await();
    }

    static void exit(int n) {
        hit("Calls.exit");
        if (n > 0)
            exit(n - 1);
        print();
        System.exit(3);
    }

    static void print() {
        for (Map.Entry<String, AtomicLong> e : new TreeMap<>(seen).entrySet())
            System.out.println("calls " + e.getKey() + " = " + e.getValue());
        System.out.flush();
    }

    static void trace() {
        try {
            fallWithTrace(3);
        } catch (IllegalStateException e) {
            for (StackTraceElement element : e.getStackTrace())
                System.out.println("at " + element.getClassName() + "." + element.getMethodName());
        }
    }

    static void fallWithTrace(int n) {
        if (n == 0)
            throw new IllegalStateException();
        fallWithTrace(n - 1);
    }

    /* 300000 calls of Math.max, 200000 of String.equals. */
    static void intrinsics() {
        hit("Calls.intrinsics");
        String[] names = {"one", new String("one"), new String("two"), new String("three")};
        int n = 0;
        for (int i = 0; i < 300000; i++)
            n = Math.max(n, i & 7);
        for (int i = 0; i < 200000; i++)
            if (names[0].equals(names[i & 3]))
                n++;
        if (n == 42)
            System.out.println(n);
    }

    static int reached;

    static void down() {
        reached++;
        down();
    }

    /* How deep the stack may be: interpreted, that tells how large a frame is. */
    static void depth() throws InterruptedException {
        Thread thread = new Thread(null, new Runnable() {
            public void run() {
                try {
                    reached = 0;
                    down();
                } catch (StackOverflowError e) {
                    System.out.println("depth " + reached);
                }
            }
        }, "deep", 1 << 20);
        thread.start();
        thread.join();
    }

    static void waitFor(String file) throws InterruptedException {
        System.out.println("waiting for " + file);
        System.out.flush();
        while (!new java.io.File(file).exists())
            Thread.sleep(10);
    }

    public static void main(String[] parts) throws Exception {
        for (String part : parts) {
            if (part.startsWith("wait:")) {
                waitFor(part.substring(5));
                continue;
            }
            switch (part) {
            case "recursion": recursion(); break;
            case "exceptions": exceptions(); break;
            case "uncaught": uncaught(); break;
            case "constructors": constructors(); break;
            case "interfaces": interfaces(); break;
            case "threads": threads(); break;
            case "never": never(); break;
            case "virtual": virtual(); break;
            case "trace": trace(); break;
            case "exit": exit(20); break;
            case "depth": depth(); break;
            case "intrinsics": intrinsics(); break;
            default: throw new IllegalArgumentException(part);
            }
        }
        print();
    }
}
