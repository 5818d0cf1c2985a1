import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;

// Loads known classes, some of them with a loader that is dropped; says how long their files are.
public class Loads {
    static class Base {
    }

    static class Inner extends Base {
    }

    static class Broken {
    }

    // Defined by loaders of its own.
    public static class Gone {
    }

    static byte[] file(String name) throws Exception {
        InputStream in = Loads.class.getResourceAsStream(name + ".class");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b; (b = in.read()) >= 0; ) {
            bytes.write(b);
        }
        in.close();
        return bytes.toByteArray();
    }

    static class Own extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static void goes(byte[] bytes, boolean twice) {
        Own own = new Own();
        own.define("Loads$Gone", bytes);
        if (!twice) {
            return;
        }
        try {
            own.define("Loads$Gone", bytes);
            throw new IllegalStateException("defined twice");
        } catch (LinkageError expected) {
            // The VM reads the file, and then refuses the class.
        }
    }

    static void inner() {
        new Inner();
    }

    static void collect() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
        }
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        String how = args.length > 1 ? args[1] : "";
        byte[] gone = file("Loads$Gone");
        inner();
        for (int i = 0; i < times; i++) {
            goes(gone, how.equals("twice"));
        }
        collect();
        for (String name : new String[] {"Loads", "Loads$Base", "Loads$Inner", "Loads$Gone"}) {
            System.out.println(name + " " + file(name).length);
        }
        System.out.println("loaded");
        if (how.equals("waits")) {
            while (!new File("go").exists()) {
                Thread.sleep(10);
            }
            inner();
            new Broken();
            goes(gone, false);
            collect();
        }
    }
}
