/*
 * Words.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * What is wanted of each type of events, in memory that the agent writes: how long an event must
 * have lasted in ns, and 1; or 0, for none. An agent of an older version knows no events.
 */
final class Words {
    private static final int NONE = -1;
    private static LongBuffer words;

    private Words() {
    }

    /** The number of a type that is defined so. */
    static int define(String[] texts, int[] numbers, long thresholdNs, boolean hasStack) {
        try {
            return Bridge.define(texts, numbers, thresholdNs, hasStack);
        } catch (LinkageError e) {
            return NONE;
        }
    }

    /** The word of the type of this number. */
    static long of(int number) {
        LongBuffer w = words;

        if (number < 0)
            return 0;
        if (w == null)
            words = w = Bridge.words().order(ByteOrder.nativeOrder()).asLongBuffer();
        return w.get(number);
    }
}
