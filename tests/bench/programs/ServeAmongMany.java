// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.util.*;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.*;

/**
 * ServeAmongMany N JAR...: loads and links N classes, as many of each jar as it has of all, and is Serve then, with its clients. A thread looks at the
 * clock each 0.2 ms or so. Commands on stdin: "reset"; "gaps" prints the longest gap in us, all gaps above 5 ms in us, and how many requests were
 * answered since; end of input ends the program.
 */
public class ServeAmongMany {
    static final long LONG_NS = 5_000_000;
    static volatile long longest, sum, before;

    static void load(int count, List<String> jars) throws IOException {
        List<List<String>> names = new ArrayList<>();
        int all = 0, loaded = 0;

        for (String jar : jars) {
            List<String> of = new ArrayList<>();
            try (ZipFile zip = new ZipFile(jar)) {
                for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements();) {
                    String name = e.nextElement().getName();
                    if (name.endsWith(".class") && !name.startsWith("META-INF") && !name.contains("-info"))
                        of.add(name.substring(0, name.length() - 6).replace('/', '.'));
                }
            }
            Collections.shuffle(of, new Random(1));
            names.add(of);
            all += of.size();
        }
        for (List<String> of : names) {
            long share = (long) of.size() * count / all;
            for (String name : of) {
                if (share <= 0)
                    break;
                try {
                    Class.forName(name, false, ServeAmongMany.class.getClassLoader()).getDeclaredConstructors(); // links it
                    loaded++;
                    share--;
                } catch (LinkageError | Exception e) {
                    continue; // what it needs is not there
                }
            }
        }
        System.err.println(loaded + " classes loaded on purpose");
    }

    static void beat() {
        long last = System.nanoTime();

        while (true) {
            LockSupport.parkNanos(200_000);
            long now = System.nanoTime();
            if (now - last > longest)
                longest = now - last;
            if (now - last > LONG_NS)
                sum += now - last;
            last = now;
        }
    }

    static void serve() {
        try {
            Serve.main(new String[] {"2000000000"});
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] a) throws Exception {
        load(Integer.parseInt(a[0]), Arrays.asList(a).subList(1, a.length));
        for (Runnable r : new Runnable[] {ServeAmongMany::serve, ServeAmongMany::beat}) {
            Thread t = new Thread(r, "work");
            t.setDaemon(true);
            t.setPriority(Thread.MAX_PRIORITY);
            t.start();
        }
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            if (line.equals("reset")) {
                longest = sum = 0;
                before = Serve.ANSWERED.get();
            }
            System.out.println(longest / 1000 + " " + sum / 1000 + " " + (Serve.ANSWERED.get() - before));
        }
        System.exit(0);
    }
}
