// Allocates objects of five kinds at stacks of up to eight frames; the argument says how many rounds.
import java.util.*;
public class AllocHeavy {
    static volatile Object sink;
    static Map<Integer, String> map = new HashMap<>();
    static Object deep(int d, int i) { return d > 0 ? deep(d - 1, i) : (i % 3 == 0 ? new int[i % 50] : i % 3 == 1 ? new ArrayList<Object>() : (Object) Integer.valueOf(i + 1000)); }
    public static void main(String[] a) {
        int n = Integer.parseInt(a[0]);
        long t = System.nanoTime();
        for (int i = 0; i < n; i++) {
            sink = deep(i % 8, i);
            if (i % 10 == 0) map.put(i % 5000, "v" + i);
        }
        System.out.println("ms " + (System.nanoTime() - t) / 1000000);
    }
}
