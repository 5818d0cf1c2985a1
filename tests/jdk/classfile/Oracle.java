/*
 * Oracle.java - links every class of this JDK and of the given jars, while an agent injects them.
 *
 * Linking verifies (with -XX:+BytecodeVerificationLocal) and initializes nothing; getDeclaredMethods links.
 * Usage: Oracle STEP [JAR|CLASS...]: each STEP-th class of the JDK and of the jars, and the classes named.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

public class Oracle {
    static int linked, unlinkable, rejected;

    /** Injects the classes that the VM had before the agent saw any; how many it rejects. */
    static native int retransformEarly();

    static void link(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader).getDeclaredMethods();
            linked++;
        } catch (UnsupportedClassVersionError e) {
            unlinkable++;
        } catch (VerifyError | ClassFormatError e) {
            rejected++;
            System.out.println("rejected " + name + ": " + e);
        } catch (Throwable e) {
            unlinkable++; // something that the class needs is not there
            if (e instanceof VirtualMachineError) {
                rejected++;
                System.out.println("rejected " + name + ": " + e);
            }
        }
    }

    static void add(List<String> names, String file) {
        if (file.endsWith(".class") && !file.endsWith("module-info.class") && !file.startsWith("META-INF/")) {
            names.add(file.substring(0, file.length() - 6).replace('/', '.'));
        }
    }

    static void addJar(List<String> names, File jar) throws Exception {
        try (ZipFile zip = new ZipFile(jar)) {
            for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements(); ) {
                add(names, e.nextElement().getName());
            }
        }
    }

    static void addModules(List<String> names) throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(Files::isRegularFile).forEach(f -> add(names, f.subpath(2, f.getNameCount()).toString()));
        }
    }

    static void addJdk8(List<String> names) throws Exception {
        List<File> jars = new ArrayList<>();
        for (String path : System.getProperty("sun.boot.class.path").split(":")) {
            jars.add(new File(path));
        }
        for (String dir : System.getProperty("java.ext.dirs").split(":")) {
            File[] files = new File(dir).listFiles();
            Collections.addAll(jars, files == null ? new File[0] : files);
        }
        for (File jar : jars) {
            if (jar.getName().endsWith(".jar") && jar.isFile()) {
                addJar(names, jar);
            }
        }
    }

    static void linkAll(List<String> names, ClassLoader loader, int step) {
        Collections.sort(names);
        for (int i = 0; i < names.size(); i += step) {
            link(names.get(i), loader);
        }
    }

    public static void main(String[] args) throws Exception {
        int step = Integer.parseInt(args[0]);
        List<String> names = new ArrayList<>();
        if (System.getProperty("sun.boot.class.path") != null) {
            addJdk8(names);
        } else {
            addModules(names);
        }
        linkAll(names, ClassLoader.getSystemClassLoader(), step);
        System.out.println("JDK: " + linked + " linked, " + unlinkable + " not linkable");
        for (int i = 1; i < args.length; i++) {
            if (!args[i].endsWith(".jar")) {
                link(args[i], ClassLoader.getSystemClassLoader());
                continue;
            }
            List<String> inJar = new ArrayList<>();
            addJar(inJar, new File(args[i]));
            URL[] urls = {new File(args[i]).toURI().toURL()};
            linked = unlinkable = 0;
            linkAll(inJar, new URLClassLoader(urls), step);
            System.out.println(new File(args[i]).getName() + ": " + linked + " linked, " + unlinkable + " not linkable");
        }
        int bad = retransformEarly();
        System.out.println("rejected: " + (rejected + bad));
        System.exit(rejected + bad > 0 ? 1 : 0);
    }
}
