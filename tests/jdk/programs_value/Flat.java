import java.lang.ref.WeakReference;
import jdk.internal.value.ValueClass;
import jdk.internal.vm.annotation.LooselyConsistentValue;
import jdk.internal.vm.annotation.NullRestricted;

/**
 * Holds flat values of many shapes in fields and arrays, those that javac gives everybody and those of the JDK itself, then
 * waits. The number is how long the long arrays are. Every third holder and every fourth element has null.
 */
public class Flat {
    static value class Small {
        byte a, b;

        Small(int i) {
            a = (byte) i;
            b = (byte) (i * 3);
            super();
        }
    }

    static value record One(int x) {}
    static value record Two(int x, int y) {}
    static value record Real(float x, char c) {}
    static value record Ref(Object o) {}
    static value record RefTag(Object o, byte tag) {}
    static value record Inner(short s, byte b) {}
    static value record Outer(Inner in, byte c) {}
    static value record Nested(RefTag in) {}
    static value record Empty() {}
    static value record Deep(Wide wide, String text) {}

    @LooselyConsistentValue
    static value class Wide {
        long x, y;

        Wide(long x, long y) {
            this.x = x;
            this.y = y;
            super();
        }
    }

    @LooselyConsistentValue
    static value class Pair {
        String left, right;
        double weight;

        Pair(String left, String right, double weight) {
            this.left = left;
            this.right = right;
            this.weight = weight;
            super();
        }
    }

    static class Holder {
        Small small;
        One one;
        Two two;
        Wide wide;
        Real real;
        Ref ref;
        RefTag tag;
        Inner inner;
        Outer outer;
        Nested nested;
        Empty empty;
        Deep deep;
        Integer box;
        Long large;
        Object plain;
        long after = 0x1122334455667788L;
        Object self = this;

        Holder(int i) {
            plain = new Two(i, i);
            if (i % 3 == 0)
                return;
            small = new Small(i);
            one = new One(i);
            two = new Two(i, -i);
            wide = new Wide(i, -i);
            real = new Real(i / 2f, (char) (0x4e00 + i));
            ref = new Ref("ref " + i);
            tag = new RefTag("tag " + i, (byte) i);
            inner = new Inner((short) (i * 2), (byte) 9);
            outer = new Outer(i % 2 == 0 ? null : new Inner((short) i, (byte) 7), (byte) 8);
            nested = new Nested(new RefTag("nested " + i, (byte) -i));
            empty = new Empty();
            deep = new Deep(i % 2 == 0 ? null : new Wide(i, 5), "deep " + i);
            box = 1000 + i;
            large = -1L - i;
        }
    }

    static class Sub extends Holder {
        Small more;

        Sub(int i) {
            super(i);
            more = new Small(-i);
        }
    }

    static class Strict {
        @NullRestricted final Small small;
        @NullRestricted final Wide wide;
        @NullRestricted final Pair pair;
        int last = 5;

        Strict(int i) {
            small = new Small(i);
            wide = new Wide(i, 2);
            pair = new Pair("left " + i, null, i);
            super();
        }
    }

    static class Weak extends WeakReference<Object> {
        Small small = new Small(77);

        Weak(Object o) {
            super(o);
        }
    }

    static Holder[] holders = new Holder[12];
    static Strict[] stricts = new Strict[3];
    static Small[] smalls;
    static One[] ones;
    static Two[] twos;
    static Real[] reals;
    static Ref[] refs;
    static RefTag[] tags;
    static Outer[] outers;
    static Nested[] nesteds;
    static Empty[] empties = new Empty[5], none = new Empty[0];
    static Integer[] boxes;
    static Small[][] square = new Small[5][7];
    static Two alone = new Two(77, 78);
    static Object[] special = new Object[9];
    static Weak weak = new Weak(holders), cleared = new Weak(new Object());

    static void fill(int n) {
        smalls = new Small[n];
        ones = new One[n];
        twos = new Two[n];
        reals = new Real[n];
        refs = new Ref[n];
        tags = new RefTag[n];
        outers = new Outer[n];
        nesteds = new Nested[n];
        boxes = new Integer[n];
        for (int i = 0; i < n; i++) {
            if (i % 4 == 0)
                continue;
            smalls[i] = new Small(i);
            ones[i] = new One(i);
            twos[i] = new Two(i, -i);
            reals[i] = new Real(i, 'x');
            refs[i] = new Ref("Ref " + i);
            tags[i] = new RefTag(i % 5 == 0 ? null : "Tag " + i, (byte) i);
            outers[i] = new Outer(new Inner((short) i, (byte) 1), (byte) 2);
            nesteds[i] = new Nested(new RefTag("Nested " + i, (byte) i));
            boxes[i] = 5000 + i;
        }
        special[0] = ValueClass.newNullRestrictedNonAtomicArray(Small.class, n, new Small(1));
        special[1] = ValueClass.newNullRestrictedNonAtomicArray(Wide.class, n, new Wide(3, 4));
        special[2] = ValueClass.newNullRestrictedAtomicArray(Two.class, 10, new Two(3, 4));
        special[3] = ValueClass.newNullRestrictedNonAtomicArray(Pair.class, n, new Pair("a", "b", 1));
        special[4] = ValueClass.newNullRestrictedAtomicArray(RefTag.class, 10, new RefTag("restricted", (byte) 4));
        special[5] = ValueClass.newNullableAtomicArray(Small.class, 10);
        special[6] = ValueClass.newReferenceArray(Small.class, 10);
        special[7] = ValueClass.newNullRestrictedNonAtomicArray(Deep.class, 3, new Deep(new Wide(1, 2), "in an array"));
        for (int i = 0; i < n; i++)
            ((Object[]) special[3])[i] = new Pair("Left " + i, "Right " + i, i);
        ((Object[]) special[6])[3] = new Small(3);
    }

    public static void main(String[] args) throws Exception {
        fill(Integer.parseInt(args[0]));
        for (int i = 0; i < holders.length; i++)
            holders[i] = i % 2 == 0 ? new Holder(i) : new Sub(i);
        for (int i = 0; i < stricts.length; i++)
            stricts[i] = new Strict(i);
        for (Small[] row : square)
            for (int i = 0; i < row.length; i++)
                row[i] = new Small(i);
        empties[2] = new Empty();
        int flat = 0;
        for (Object[] array : new Object[][] {smalls, ones, reals, refs, tags, outers, boxes, square[0], (Object[]) special[1], (Object[]) special[3]})
            flat += ValueClass.isFlatArray(array) ? 1 : 0;
        System.out.println("flat " + flat);
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }
}
