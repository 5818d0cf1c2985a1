/*
 * Calls of native methods with known numbers: 500 of Runtime.maxMemory(), which few others call, and 200 of Array.getLength(), which
 * throw; these two in a Java method each. SPDX-License-Identifier: Apache-2.0
 */
import java.lang.reflect.Array;

public class Natives {
    static long most() {
        return Runtime.getRuntime().maxMemory();
    }

    static int fails(Object noArray) {
        try {
            return Array.getLength(noArray);
        } catch (IllegalArgumentException e) {
            return 1;
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 500; i++)
            most();
        for (int i = 0; i < 200; i++)
            fails("");
        System.out.println("done");
    }
}
