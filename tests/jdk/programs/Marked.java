import java.io.File;

/** Says what it is called 1,000 times in each of three parts, and makes as many objects; the second and third begin when a file is there. */
public class Marked {
    static int said;
    static byte[] made;

    static String say() {
        said++;
        return "unmarked";
    }

    static void part(String name) throws Exception {
        System.out.println("waiting for " + name);
        while (!new File(name).exists() && !name.equals("nothing"))
            Thread.sleep(5);
        for (int i = 1; i < 1000; i++) {
            say();
            made = new byte[8192];
        }
        System.out.println(name + ": " + say());
    }

    public static void main(String[] args) throws Exception {
        part("nothing");
        for (String name : args)
            part(name);
        System.out.println("said " + said);
    }
}
