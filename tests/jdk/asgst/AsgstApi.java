import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Calls the natives of api_test.c from stacks of many shapes and prints `ok NAME` or `not ok NAME: why` for each. */
public class AsgstApi {
    static native String compareStack(); // null: as it should be
    static native String allMethods(Class<?>[] classes);
    static native String noJavaThread();
    static native String queue();
    static native String queueAround();
    static native String queueEndOfThread(Thread thread);
    static native void registerQueueHere();
    static native String redefine(Class<?> klass, byte[] bytes);
    static native String watchUnload(String name);
    static native String awaitLooks(Class<?> redefined, byte[] bytes);
    static native String unloaded();
    static native String reloaded();
    static native String ids(Class<?>[] classes);

    interface Body<T> {
        T run(T value) throws Exception;
    }

    static String failure;

    static void check() {
        String why = compareStack();
        if (why != null && failure == null)
            failure = why;
    }

    static void say(String name, String why) {
        System.out.println(why == null ? "ok " + name : "not ok " + name + ": " + why.replace('\n', ' '));
    }

    static int recurse(int n) {
        if (n == 0)
            check();
        return n == 0 ? 0 : recurse(n - 1) + 1;
    }

    static synchronized void locked(List<String> list) {
        for (String s : list)
            new Thread(AsgstApi::check, s).run();
    }

    static <T extends Comparable<T>> T generic(Body<T> body, T value) throws Exception {
        return body.run(value);
    }

    static int inlined(int n) {
        if ((n & 0x3fff) == 0)
            check();
        return n * 31;
    }

    static int hot() {
        int sum = 0;
        for (int i = 0; i < 200000; i++)
            sum += inlined(i);
        return sum;
    }

    static void shapes() throws Exception {
        check();
        recurse(0);
        recurse(100);
        recurse(1500);
        locked(Arrays.asList("a", "b"));
        generic(v -> {
            check();
            return v;
        }, "value");
        for (int i = 0; i < 30; i++)
            AsgstApi.class.getDeclaredMethod("check").invoke(null);
        Arrays.asList(3, 1, 2).sort((a, b) -> {
            check();
            return a - b;
        });
        hot();
        for (int i = 0; i < 20000; i++)
            if (recurseQuietly(20) < 0)
                return;
        recurse(20);
        try {
            new AsgstApi().clone();
        } catch (CloneNotSupportedException e) {
            check();
        }
        Thread other = new Thread(AsgstApi::check);
        other.start();
        other.join();
    }

    static int recurseQuietly(int n) {
        return n == 0 ? 0 : recurse2(n - 1) + 1;
    }

    static int recurse2(int n) {
        return n == 0 ? 0 : recurseQuietly(n - 1) + 1;
    }

    static byte[] bytesOf(Class<?> klass) throws Exception {
        try (InputStream in = klass.getResourceAsStream("/" + klass.getName() + ".class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = in.read(buffer)) > 0;)
                out.write(buffer, 0, n);
            return out.toByteArray();
        }
    }

    static String loadAndDrop() throws Exception {
        URL here = AsgstApi.class.getProtectionDomain().getCodeSource().getLocation();
        URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
        Class<?> klass = Class.forName("AsgstPassing", true, loader);
        java.lang.reflect.Method visit = klass.getMethod("visit", int.class);
        visit.setAccessible(true);
        visit.invoke(null, 1);
        return awaitLooks(AsgstPassing.class, bytesOf(AsgstPassing.class)); // until the watch has seen it
    }

    static void loadOnce(String before) throws Exception {
        URL here = AsgstApi.class.getProtectionDomain().getCodeSource().getLocation();
        URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
        Class.forName(before, true, loader);
        java.lang.reflect.Method visit = Class.forName("AsgstPassing", true, loader).getMethod("visit", int.class);
        visit.setAccessible(true);
        visit.invoke(null, 1);
    }

    /** Classes of one name that follow each other, often in the same place, with their methods in another. */
    static String reload() throws Exception {
        watchUnload("AsgstPassing");
        String why = "";
        long end = System.nanoTime() + 60_000_000_000L; // the watch may wait long for a processor
        for (int i = 0; why != null && System.nanoTime() < end; i++) {
            loadOnce("AsgstBefore" + i % 3);
            System.gc();
            if (i >= 150)
                why = reloaded();
        }
        return why;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        shapes();
        say("stacks", failure);
        say("methods", allMethods(new Class<?>[] {AsgstApi.class, String.class, Thread.class, ArrayList.class,
                                                  Body.class, java.util.HashMap.class, int[].class, Object.class}));
        say("ids", ids(new Class<?>[] {String.class, AsgstApi.class, Object.class, int[].class}));
        say("no Java thread", noJavaThread());
        say("queue", queue());
        say("queue handlers", queueAround());
        Thread ending = new Thread(AsgstApi::registerQueueHere);
        ending.start();
        ending.join();
        say("queue of an ended thread", queueEndOfThread(ending));
        AsgstPassing.visit(1);
        say("redefine", redefine(AsgstPassing.class, bytesOf(AsgstPassing.class)));
        say("watch", watchUnload("AsgstPassing"));
        String why = loadAndDrop();
        say("looks", why);
        why = "";
        for (int i = 0; i < 1000 && why != null; i++) {
            System.gc();
            Thread.sleep(50);
            why = unloaded();
        }
        say("unload", why);
        say("reload", reload());
    }
}

class AsgstPassing {
    static int sum;

    public static int visit(int n) {
        sum += n;
        return sum;
    }

    static long other(String text, long[] more) {
        return text.length() + more.length;
    }
}

class AsgstBefore0 {
}

class AsgstBefore1 {
    static long one(long a, long b) {
        return a * b + (a ^ b) * 31;
    }

    static String two(String text) {
        return text + "two" + text.length();
    }
}

class AsgstBefore2 {
    static long one(long a, long b) {
        return a * b + (a ^ b) * 31;
    }

    static String two(String text) {
        return text + "two" + text.length();
    }

    static String three(String text) {
        return text + "three" + text.length() + text.hashCode();
    }

    static String four(String text) {
        return text + "four" + text.length() + text.hashCode();
    }
}
