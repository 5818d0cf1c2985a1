// Keeps KEPT MB, makes garbage, and asks for COUNT collections; prints how many collections the VM's own beans saw meanwhile.
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class Collects {
    static final int MB = 1 << 20;
    static byte[][] kept;
    static byte[][] garbage;

    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += bean.getCollectionCount();
        }
        return sum;
    }

    static byte[][] make(int megabytes) {
        byte[][] made = new byte[megabytes * 4][];
        for (int i = 0; i < made.length; i++) {
            made[i] = new byte[MB / 4 - 64];
        }
        return made;
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        kept = make(Integer.parseInt(args[0]));
        System.gc();
        long before = collections();
        for (int i = 1; i < count; i++) {
            garbage = make(16);
            garbage = null;
            System.gc();
        }
        System.out.println("collections " + (collections() - before));
    }
}
