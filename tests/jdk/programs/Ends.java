import java.io.File;

// Ends, in one of two ways, while an agent tells of an object that a collection has freed (native/posting.c).
public class Ends {
    static void waitFor(String name) throws Exception {
        while (!new File(name).exists()) {
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean isEnder = args[1].equals("ender");
        if (isEnder) {
            waitFor("held");
        }
        System.gc();
        if (!isEnder) {
            waitFor("posting");
        }
        if (args[0].equals("exit")) {
            System.exit(0);
        }
    }
}
