// Objects that no Java code makes: three string constants, the mirror of a class, and the names of the files in a folder.
public class SitesVm {
    static Object[] kept = new Object[8];

    static class Late {
    }

    static void constants() {
        kept[0] = "a constant";
        kept[1] = "another constant";
        kept[2] = "a third constant";
    }

    static void mirror() {
        kept[3] = Late.class;
    }

    static void names(String folder, int n) {
        for (int i = 0; i < n; i++) kept[4] = new java.io.File(folder).list();
    }

    public static void main(String[] args) {
        constants();
        mirror();
        names(args[0], 50);
    }
}
