/* Two applications with an hprof.jar each, in one JVM, whose threads are a server's; one of them is deployed anew. SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class Loaders {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2, task -> {
        Thread t = new Thread(task);

        t.setDaemon(true);
        return t;
    });

    static String run(URLClassLoader loader, String method, String argument) throws Exception {
        Callable<String> task = () -> {
            Thread.currentThread().setContextClassLoader(loader);
            try {
                return (String) loader.loadClass("App").getMethod(method, String.class).invoke(null, argument);
            } finally {
                Thread.currentThread().setContextClassLoader(null);
            }
        };

        return POOL.submit(task).get();
    }

    static boolean isGone(WeakReference<?> loader) throws InterruptedException {
        for (int i = 0; i < 200 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        return loader.get() == null;
    }

    public static void main(String[] arguments) throws Exception {
        URL[] urls = new URL[arguments.length];

        for (int i = 0; i < urls.length; i++)
            urls[i] = new File(arguments[i]).toURI().toURL();
        ClassLoader parent = ClassLoader.getSystemClassLoader().getParent();
        URLClassLoader one = new URLClassLoader(urls, parent), two = new URLClassLoader(urls, parent);
        System.out.println(run(two, "work", "early"));
        System.out.println(run(one, "start", "cpu=samples,interval=1ms,file=x.jfr"));
        System.out.println(run(one, "work", "one") + " " + run(two, "work", "two"));
        WeakReference<?> gone = new WeakReference<>(one);
        one.close();
        one = null;
        System.out.println("gone " + isGone(gone));
        one = new URLClassLoader(urls, parent);
        System.out.println(run(one, "work", "again") + " " + run(two, "work", "two"));
        System.out.println(run(two, "stop", ""));
        gone = new WeakReference<>(one);
        System.out.println("command " + run(one, "command", "version"));
        one.close();
        one = null;
        System.out.println("gone " + isGone(gone));
        POOL.shutdown();
    }
}
