// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Crashes - a program that ends by a signal as faulty native code does, for docs/guides/crashed.md. */
public class Crashes {
    public static void main(String[] args) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        decode((Unsafe) field.get(null), 8);
    }

    /** Reads memory that is not there. */
    static long decode(Unsafe unsafe, long address) {
        return unsafe.getLong(address);
    }
}
