// Allocates N objects of every kind there is, each kind at a line of its own method, and keeps one in four alive.
import java.lang.reflect.Array;
import java.util.ArrayList;

public class SitesKinds implements Cloneable {
    static volatile Object sink;
    static Object[][] kept = new Object[32][];
    static int kind;
    long a, b;

    static class Parent {
        int x;
    }

    static class Child extends Parent implements Cloneable {
        long y;

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    static class Grandchild extends Child {
        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    static class Thrower {
        Thrower() {
            throw new IllegalStateException();
        }
    }

    interface Maker {
        Object make(int i) throws Exception;
    }

    static void objects(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new SitesKinds());
    }

    static void children(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new Child());
    }

    static void primitives(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new int[5]);
    }

    static void references(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new Parent[3]);
    }

    static void nested(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new byte[2][3][1]);
    }

    static void partlyNested(int n) {
        for (int i = 0; i < n; i++) keep(i, n, new char[4][]);
    }

    static void boxes(int n) {
        for (int i = 0; i < n; i++) keep(i, n, Long.valueOf(100000 + i));
    }

    static void arrayClones(int n) {
        long[] model = new long[2];
        for (int i = 0; i < n; i++) keep(i, n, model.clone());
    }

    static void objectClones(int n) throws Exception {
        Child model = new Child();
        for (int i = 0; i < n; i++) keep(i, n, model.clone());
    }

    static void deepClones(int n) throws Exception {
        Child model = new Grandchild();
        for (int i = 0; i < n; i++) keep(i, n, model.clone());
    }

    static void reflectedArrays(int n) {
        for (int i = 0; i < n; i++) keep(i, n, Array.newInstance(Thread.State.class, 2));
    }

    static void reflectedNests(int n) {
        for (int i = 0; i < n; i++) keep(i, n, Array.newInstance(short.class, new int[] {2, 3}));
    }

    static void copies(int n) {
        Parent[] model = new Parent[4];
        for (int i = 0; i < n; i++) keep(i, n, java.util.Arrays.copyOf(model, 6));
    }

    static void reflectedObjects(int n) throws Exception {
        java.lang.reflect.Constructor<Parent> make = Parent.class.getDeclaredConstructor();
        for (int i = 0; i < n; i++) keep(i, n, make.newInstance());
    }

    static void failures(int n) {
        for (int i = 0; i < n; i++) {
            try {
                keep(i, n, new Thrower());
            } catch (IllegalStateException e) {
                keep(i, n, e);
            }
        }
    }

    static void lists(int n) {
        for (int i = 0; i < n; i++) {
            ArrayList<Object> list = new ArrayList<>(1);
            list.add(null);
            keep(i, n, list);
        }
    }

    static void keep(int i, int n, Object object) {
        sink = object;
        if (i % 4 == 0) kept[kind][i / 4] = object;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        String[] names = {"objects", "children", "primitives", "references", "nested", "partlyNested", "boxes",
            "arrayClones", "objectClones", "deepClones", "reflectedArrays", "reflectedNests", "copies",
            "reflectedObjects", "failures", "lists"};
        for (String name : names) {
            java.lang.reflect.Method method = SitesKinds.class.getDeclaredMethod(name, int.class);
            kept[kind] = new Object[n / 4 + 1];
            method.invoke(null, n);
            kind++;
        }
        sink = null;
        System.out.println("done");
    }
}
