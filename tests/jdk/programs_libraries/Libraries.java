import java.io.File;

/** Loads so many libraries of a folder, says "loaded", and ends when the file "done" is there. */
public class Libraries {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[1]); i++)
            System.load(new File(args[0], "libcopy" + i + ".so").getAbsolutePath());
        System.out.println("loaded");
        while (!new File("done").exists())
            Thread.sleep(10);
    }
}
