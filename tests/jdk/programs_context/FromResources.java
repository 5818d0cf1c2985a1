import hprof.Hprof;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Loads an agent that lies among the resources of a class loader: its jar is the argument. */
public class FromResources {
    static void load(ClassLoader loader, String resource, String options) throws Exception {
        try {
            Hprof.loadAgent(loader, resource, options);
            System.out.println("loaded");
        } catch (java.io.IOException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("supported " + Hprof.isSupported() + " loaded " + Hprof.isLoaded());
        try (URLClassLoader loader = new URLClassLoader(new URL[] {new File(args[0]).toURI().toURL()}, null)) {
            System.out.println(Hprof.libraryPath(loader, "native/libattached.so"));
            load(loader, "native/libattached.so", "a=1,b");
            load(loader, "native/libattached.so", "");
            load(loader, "native/libnone.so", "");
            load(loader, "native/libattached.so", "refuse");
        }
        System.setProperty("os.arch", "another");
        System.out.println("elsewhere: supported " + Hprof.isSupported());
    }
}
