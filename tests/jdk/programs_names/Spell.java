// SPDX-License-Identifier: Apache-2.0
/** Runs a task under a stack that spells a number, highest bit outermost: the truth about what runs, in each sample. */
public class Spell {
    static void number(int n, int bits, Runnable task) {
        if (bits == 0) task.run();
        else if ((n >> (bits - 1) & 1) == 0) zero(n, bits - 1, task);
        else one(n, bits - 1, task);
    }

    static void zero(int n, int bits, Runnable task) { number(n, bits, task); }

    static void one(int n, int bits, Runnable task) { number(n, bits, task); }

    /** The class file of a class, with one piece replaced by another of its length, wherever it is. */
    static byte[] patched(String name, byte[] from, byte[] to) throws java.io.IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        try (java.io.InputStream in = Spell.class.getResourceAsStream(name + ".class")) {
            for (int b = in.read(); b >= 0; b = in.read()) all.write(b);
        }
        byte[] bytes = all.toByteArray();
        for (int at = 0; at + from.length <= bytes.length; at++)
            if (java.util.Arrays.equals(java.util.Arrays.copyOfRange(bytes, at, at + from.length), from))
                System.arraycopy(to, 0, bytes, at, to.length);
        return bytes;
    }
}
