// SPDX-License-Identifier: Apache-2.0

/** Words of C code's stack (native/strays.c) that lead to no object: where COUNT objects lay before a collection, and mirrors of an archive. */
public class HoldsStrays {
    static class Dead {
        long a = 1, b = 2;
    }

    static byte[] garbage;

    static native void hold(Object[] dying, Class<?> mirror);

    static void next(int words) throws InterruptedException {
        System.gc();
        System.out.println("ready " + words);
        Thread.sleep(600000);
    }

    public static void main(String[] args) {
        System.loadLibrary("strays");
        // the young space is filled from its beginning on: what dies lies far behind what is made after the collection
        for (int i = 0; i < 8000; i++)
            garbage = new byte[1000];
        Object[] dying = new Object[Integer.parseInt(args[0])];
        for (int i = 0; i < dying.length; i++)
            dying[i] = new Dead();
        hold(dying, Object.class);
    }
}
