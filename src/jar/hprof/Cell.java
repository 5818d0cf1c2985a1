/*
 * Cell.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one thread has open, in memory that the agent reads: its words are those of struct
 * scope_words in src/safe/scope.h. A signal may come between any two stores, and finds a state that
 * has been or will be: no word is written in parts.
 *
 * The agent takes the cell of a virtual thread back when that leaves its carrier without a scope,
 * and changes the stamp then: so the stamp is looked at before each use. A virtual thread leaves its
 * carrier in calls that block, of which there are none here.
 */
final class Cell {
    private static final int KEYS = HprofKey.KEYS, STAMP = KEYS, DEPTH = KEYS + 1, SAVED = KEYS + 2;
    static final int DEPTH_MAX = 32;
    private static final long TRY_AGAIN_NS = 100_000_000;
    /**
     * What a thread has: WORDS, or null, when it can have none; and, of a virtual thread, STAMP_THEN.
     * While contexts are published, it has RECORD, and ORDER for it (Record.java).
     * All of it is of the JDK's classes: a thread of a server outlives the application, whose class
     * loader must not be held by what the thread has kept.
     */
    private static final ThreadLocal<Object[]> MINE = new ThreadLocal<>();
    private static final int WORDS = 0, STAMP_THEN = 1, SINCE = 2, RECORD = 3, ORDER = 4, PARTS = 5;
    private static IntBuffer epoch;

    private Cell() {
    }

    /** The cell of a platform thread, which has no stamp, is its own for ever. Null: it is no more. */
    private static IntBuffer wordsOf(Object[] mine) {
        IntBuffer w = (IntBuffer)mine[WORDS];

        return w == null || mine[STAMP_THEN] == null || w.get(STAMP) == (Integer)mine[STAMP_THEN] ? w : null;
    }

    /** How often values were forgotten, or a publication began or ended. */
    static int epoch() {
        IntBuffer e = epoch;

        if (e == null)
            epoch = e = Bridge.epoch().order(ByteOrder.nativeOrder()).asIntBuffer();
        return e.get(0);
    }

    /** What this thread has; null: it can have nothing by now. `before` is what it had. */
    private static Object[] enterAnew(Object[] before) {
        Object[] mine = new Object[PARTS];
        ByteBuffer cell;
        IntBuffer w;

        if (before != null && before[WORDS] == null && System.nanoTime() - (Long)before[SINCE] < TRY_AGAIN_NS)
            return null;
        cell = Bridge.cell();
        w = cell == null ? null : cell.order(ByteOrder.nativeOrder()).asIntBuffer();
        mine[WORDS] = w;
        if (w == null)
            mine[SINCE] = System.nanoTime();
        else if (w.get(STAMP) != 0)
            mine[STAMP_THEN] = w.get(STAMP);
        MINE.set(mine);
        return w == null ? null : mine;
    }

    /** A scope begins; with a key that is none it changes nothing. A context is there if it is to be published. */
    static void begin(int key, int value, HprofContext context) {
        Object[] mine = MINE.get();
        IntBuffer w = mine == null ? null : wordsOf(mine);

        if (w == null) {
            mine = enterAnew(mine);
            if (mine == null)
                return;
            w = (IntBuffer)mine[WORDS];
        }
        begin(w, key, value);
        if (context != null)
            publish(mine, key, context.text());
    }

    private static void begin(IntBuffer w, int key, int value) {
        int depth = w.get(DEPTH);

        if (depth < DEPTH_MAX) {
            int at = SAVED + 2 * depth, kept = key < 0 ? 0 : key, before = w.get(kept);

            w.put(at, kept);
            w.put(at + 1, before);
            if (key >= 0)
                w.put(kept, value);
        }
        w.put(DEPTH, depth + 1);
    }

    /** The scope that has just begun, for other profilers; scopes that began before the publication did are not there. */
    private static void publish(Object[] mine, int key, byte[] text) {
        IntBuffer w = (IntBuffer)mine[WORDS];
        int depth = w.get(DEPTH) - 1;
        ByteBuffer r = (ByteBuffer)mine[RECORD];

        if (r == null || !Record.isOf(r, Record.generation())) {
            mine[RECORD] = r = Record.make();
            mine[ORDER] = new AtomicInteger();
        }
        if (r != null && depth < DEPTH_MAX)
            Record.begin(r, (AtomicInteger)mine[ORDER], depth, w.get(SAVED + 2 * depth), w.get(SAVED + 2 * depth + 1) != 0,
                key < 0 ? null : text);
    }

    /** The innermost scope ends; nothing happens where none is open. */
    static void end() {
        Object[] mine = MINE.get();
        IntBuffer w = mine == null ? null : wordsOf(mine);
        int depth;

        if (w == null || (depth = w.get(DEPTH)) == 0)
            return;
        depth--;
        if (depth < DEPTH_MAX) {
            int at = SAVED + 2 * depth, key = w.get(at);
            ByteBuffer r = (ByteBuffer)mine[RECORD];

            w.put(key, w.get(at + 1));
            if (r != null && Record.isOf(r, Record.generation()))
                Record.end(r, (AtomicInteger)mine[ORDER], depth, key);
        }
        w.put(DEPTH, depth);
    }

    /** The values of this thread; null: none. */
    static int[] capture() {
        Object[] mine = MINE.get();
        IntBuffer w = mine == null ? null : wordsOf(mine);
        int[] values = new int[KEYS];
        int any = 0;

        for (int i = 0; w != null && i < KEYS; i++)
            any |= values[i] = w.get(i);
        return any == 0 ? null : values;
    }

    /** A scope for each of these values that this thread has not; how many that are. */
    static int adopt(int[] values) {
        Object[] mine = MINE.get();
        int scopes = 0;

        if (mine == null || wordsOf(mine) == null)
            mine = enterAnew(mine);
        for (int i = 0; mine != null && i < KEYS; i++) {
            IntBuffer w = (IntBuffer)mine[WORDS];

            if (w.get(i) != values[i]) {
                begin(w, i, values[i]);
                if (Record.generation() != 0)
                    publish(mine, i, Record.textOf(Bridge.text(values[i])));
                scopes++;
            }
        }
        return scopes;
    }
}
