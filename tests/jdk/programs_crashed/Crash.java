import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Dies in the way that its first argument names. */
public class Crash {
    static native void write();

    static native void copy();

    static native void deep();

    static native int cut(String path);

    static native void kill();

    static native void eat();

    static Object[] kept = new Object[1 << 20];

    static Unsafe unsafe() throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return (Unsafe)field.get(null);
    }

    static void fill() {
        for (int i = 0; i < kept.length; i++)
            kept[i] = new byte[1 << 20];
    }

    /** The VM needs memory of its own for each name. */
    static void starve() {
        eat();
        for (int i = 0;; i++)
            kept[i % kept.length] = ("name-" + i).intern();
    }

    public static void main(String[] args) throws Exception {
        String way = args[0];
        if (args.length > 1 && args[1].endsWith(".so"))
            System.load(args[1]);
        System.out.println("running");
        if (way.equals("unsafe"))
            unsafe().putAddress(0, 1);
        else if (way.equals("write"))
            write();
        else if (way.equals("copy"))
            copy();
        else if (way.equals("deep"))
            deep();
        else if (way.equals("cut"))
            cut(args[2]);
        else if (way.equals("kill"))
            kill();
        else if (way.equals("eat"))
            starve();
        else if (way.equals("fill"))
            fill();
        else
            Thread.sleep(3600_000);
    }
}
