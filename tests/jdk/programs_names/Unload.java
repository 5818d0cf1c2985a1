// SPDX-License-Identifier: Apache-2.0
/** Defines, runs and drops classes: their number, how many names there are, and how many are made between collections. */
public class Unload {
    static class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) { return defineClass(name, bytes, 0, bytes.length); }
    }

    static void run(Class<?> made) {
        try {
            ((Runnable) made.getDeclaredConstructor().newInstance()).run();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]), names = Integer.parseInt(args[1]), between = Integer.parseInt(args[2]);
        byte[] pattern = Spell.file("Gen00000");
        for (int i = 0; i < count; i++) {
            int n = i * 7 % names; // not in the order of the addresses
            String number = "" + (100000 + n);
            byte[] file = Spell.patched(pattern, "00000".getBytes("US-ASCII"), number.substring(1).getBytes("US-ASCII"));
            Class<?> made = new Loader().define("Gen" + number.substring(1), file);
            Spell.number(n, 10, () -> run(made));
            if (i % between == 0) System.gc();
        }
        System.out.println("made " + count);
    }
}
