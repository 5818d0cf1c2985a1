// SPDX-License-Identifier: Apache-2.0
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A graph of objects whose every value the test knows. Arguments: how many more nodes; how long to sleep, ms. */
public class HeapGraph {
    interface Constants {
        int INTERFACE_INT = 77;
        String INTERFACE_TEXT = new String("of the interface");
    }

    static class Base implements Constants {
        int same = 1;
        long wide = 0x1122334455667788L;
        Object up;
    }

    enum Colour { RED, GREEN }

    static final class Types extends Base {
        boolean yes = true;
        boolean no;
        byte tiny = -5;
        char letter = '\u20ac';
        short low = -300;
        int number = 123456789;
        long big = -9876543210L;
        float real = 1.5f;
        double exact = -2.25;
        int same = 2; // hides that of Base
        String text = "caf\u00e9 \u20ac \ud83d\ude00";
        String latin = "plain";
        Object none;
        Colour colour = Colour.GREEN;
        boolean[] booleans = {true, false, true};
        byte[] bytes = {1, -2, 3};
        char[] chars = {'a', '\u20ac'};
        short[] shorts = {-1, 2};
        int[] ints = {1, -2, 3};
        long[] longs = {Long.MIN_VALUE, 7};
        float[] floats = {0.5f};
        double[] doubles = {3.25, -0.0};
        int[] empty = {};
        Object[] nothing = new Object[0];
        String[] trailing = new String[10];
        int[][] square = {{1}, {2, 3}, null};
        Object[] mixed = {null, "x", this, new int[][][] {{{9}}}, Types.class};
        Supplier<Object> lambda = () -> this;
        Class<?> primitive = int.class;
        Class<?> array = long[][].class;
        WeakReference<Object> held;
        WeakReference<Object> lost = new WeakReference<>(new Node("weakly reachable", null));
        SoftReference<Object> soft = new SoftReference<>(new Node("softly reachable", null));
    }

    static class Node {
        final String name;
        final Node next;

        Node(String name, Node next) {
            this.name = name;
            this.next = next;
        }
    }

    static boolean truth = true;
    static byte staticByte = 8;
    static char staticChar = 'z';
    static short staticShort = -9;
    static int staticInt = 42;
    static long staticLong = 1L << 40;
    static float staticFloat = 2.5f;
    static double staticDouble = 6.125;
    static Types types = new Types();
    static List<Node> nodes = new ArrayList<>();
    static Object nobody;

    static void park(Object local, long ms) throws Exception {
        Node onlyOnTheStack = new Node("only on the stack", null);
        if (ms > 0)
            System.out.println("ready");
        Thread.sleep(ms);
        if (onlyOnTheStack.name.isEmpty() || local.hashCode() == 0)
            System.out.println();
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        types.up = Constants.INTERFACE_TEXT.isEmpty() ? null : types;
        types.held = new WeakReference<>(types);
        Node last = null;
        for (int i = 0; i < count; i++) {
            last = new Node("node " + i, last);
            nodes.add(last);
        }
        new Node("garbage", null).toString();
        park(types, args.length > 1 ? Long.parseLong(args[1]) : 0);
    }
}
