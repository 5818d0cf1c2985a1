// SPDX-License-Identifier: Apache-2.0
/** The pattern of the classes that Unload makes: another number of five digits in place of this one. */
public class Gen00000 implements Runnable {
    static long sum;

    @Override public void run() { work00000(); }

    static void work00000() {
        for (int i = 0; i < 8000; i++) sum = sum * 31 + i;
    }
}
