/*
 * Record.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one thread has open, in memory that other profilers read: its numbers are those of struct
 * scope_record in src/agent/scope/scope_record.h, which says how the record is used. Such a profiler
 * interrupts the thread between any two stores. The compiler keeps the order of stores on both sides
 * of {@code lazySet}, which costs no instruction on x86.
 */
final class Record {
    private static final int TRACE = 0, SPAN = 16, VALID = 24, SIZE = 26, ATTRIBUTES = 28, GENERATION = 640,
        SIZES = 644, OWN_TRACE = 776, OWN_SPAN = 792, IDS = 800;
    private static final int ATTRIBUTES_MAX = 612, TEXT_MAX = 255, HEAD = 2, DIGITS = 16;
    private static final int STATE_GENERATION = 0, STATE_TRACE_KEY = 1, STATE_SPAN_KEY = 2, STATE = 3;
    private static final byte[] NO_TEXT = {};

    /** Made when it is needed first, and constant for the compiler then. */
    private static final class State {
        static final IntBuffer WORDS = words();

        private static IntBuffer words() {
            try {
                return Bridge.publication().order(ByteOrder.nativeOrder()).asIntBuffer();
            } catch (LinkageError e) { // the agent in this JVM is older than this class
                return IntBuffer.allocate(STATE);
            }
        }
    }

    private Record() {
    }

    /** The number of the present publication; 0: there is none. */
    static int generation() {
        return State.WORDS.get(STATE_GENERATION);
    }

    /** Whether this thread's record belongs to the publication. */
    static boolean isOf(ByteBuffer r, int generation) {
        return r.getInt(GENERATION) == generation;
    }

    /** The record for the cell that this thread has, empty if it is new; null: there is none. */
    static ByteBuffer make() {
        ByteBuffer r = Bridge.record();

        return r == null ? null : r.order(ByteOrder.nativeOrder());
    }

    /** A value as attributes have it: as much of its UTF-8 as fits. */
    static byte[] textOf(String value) {
        byte[] all = value == null ? NO_TEXT : value.getBytes(StandardCharsets.UTF_8);
        int len = TEXT_MAX;

        if (all.length <= len)
            return all;
        while ((all[len] & 0xc0) == 0x80) // inside a character
            len--;
        return Arrays.copyOf(all, len);
    }

    /** A scope begins at this depth. `before`: the key had a value; no text: it keeps it. */
    static void begin(ByteBuffer r, AtomicInteger order, int depth, int key, boolean before, byte[] text) {
        int size = r.getShort(SIZE) & 0xffff;

        r.putInt(SIZES + 4 * depth, size);
        if (key == State.WORDS.get(STATE_TRACE_KEY) - 1)
            beginId(r, order, depth, text, OWN_TRACE, SPAN - TRACE);
        else if (key == State.WORDS.get(STATE_SPAN_KEY) - 1)
            beginId(r, order, depth, text, OWN_SPAN, VALID - SPAN);
        else if (text != null && (text.length > 0 || before))
            append(r, order, size, depth, key, before, text);
    }

    /** Where there is no room for the text an empty one takes away that of before. Each deeper scope keeps room for that. */
    private static void append(ByteBuffer r, AtomicInteger order, int size, int depth, int key, boolean before, byte[] text) {
        int room = ATTRIBUTES_MAX - HEAD * (Cell.DEPTH_MAX - depth) - size, len = text.length <= room ? text.length : 0;

        if (len == 0 && !before)
            return;
        r.put(ATTRIBUTES + size, (byte)key);
        r.put(ATTRIBUTES + size + 1, (byte)len);
        if (len > 0) {
            r.position(ATTRIBUTES + size + HEAD);
            r.put(text, 0, len);
        }
        order.lazySet(0);
        r.putShort(SIZE, (short)(size + HEAD + len));
    }

    /** The scope of this depth and key ends. */
    static void end(ByteBuffer r, AtomicInteger order, int depth, int key) {
        if (key == State.WORDS.get(STATE_TRACE_KEY) - 1)
            setId(r, order, OWN_TRACE, SPAN - TRACE, r.getLong(IDS + DIGITS * depth), r.getLong(IDS + DIGITS * depth + 8));
        else if (key == State.WORDS.get(STATE_SPAN_KEY) - 1)
            setId(r, order, OWN_SPAN, VALID - SPAN, r.getLong(IDS + DIGITS * depth), 0);
        else
            r.putShort(SIZE, (short)r.getInt(SIZES + 4 * depth));
    }

    /* ---- ids */

    private static void beginId(ByteBuffer r, AtomicInteger order, int depth, byte[] text, int own, int bytes) {
        boolean isGood = text != null && text.length == 2 * bytes;
        long first = 0, second = 0;

        for (int i = 0; isGood && i < text.length; i++) {
            int digit = Character.digit(text[i], 16);

            isGood = digit >= 0;
            if (i < DIGITS)
                first = first << 4 | digit;
            else
                second = second << 4 | digit;
        }
        r.putLong(IDS + DIGITS * depth, r.getLong(own));
        if (own == OWN_TRACE)
            r.putLong(IDS + DIGITS * depth + 8, r.getLong(own + 8));
        if (text != null)
            setId(r, order, own, bytes, isGood ? inOrder(r, first) : 0, isGood ? inOrder(r, second) : 0);
    }

    /** The long whose bytes in memory are those of the id. */
    private static long inOrder(ByteBuffer r, long id) {
        return r.order() == ByteOrder.LITTLE_ENDIAN ? Long.reverseBytes(id) : id;
    }

    /** Readers see both ids, or none if one is missing. */
    private static void setId(ByteBuffer r, AtomicInteger order, int own, int bytes, long first, long second) {
        boolean isWhole;

        r.putLong(own, first);
        if (bytes > 8)
            r.putLong(own + 8, second);
        isWhole = (r.getLong(OWN_TRACE) | r.getLong(OWN_TRACE + 8)) != 0 && r.getLong(OWN_SPAN) != 0;
        r.put(VALID, (byte)0);
        order.lazySet(0);
        r.putLong(TRACE, isWhole ? r.getLong(OWN_TRACE) : 0);
        r.putLong(TRACE + 8, isWhole ? r.getLong(OWN_TRACE + 8) : 0);
        r.putLong(SPAN, isWhole ? r.getLong(OWN_SPAN) : 0);
        order.lazySet(0);
        r.put(VALID, (byte)1);
    }
}
