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

    /** The class file of a class. */
    static byte[] file(String name) throws java.io.IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        try (java.io.InputStream in = Spell.class.getResourceAsStream(name + ".class")) {
            for (int b = in.read(); b >= 0; b = in.read()) all.write(b);
        }
        return all.toByteArray();
    }

    /** A copy with one piece replaced by another of its length, wherever it is. */
    static byte[] patched(byte[] bytes, byte[] from, byte[] to) {
        byte[] copy = bytes.clone();
        for (int at = 0; at + from.length <= bytes.length; at++) {
            int same = 0;
            while (same < from.length && bytes[at + same] == from[same]) same++;
            if (same == from.length) System.arraycopy(to, 0, copy, at, to.length);
        }
        return copy;
    }
}
