/*
 * HprofContext.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * A value of a key, which a thread works for while it is open:
 *
 * <pre>
 * static final HprofKey ACTION = HprofKey.of("action", "what is done");
 * static final HprofContext LOAD = ACTION.value("load");
 *
 * try (HprofContext c = LOAD.open()) { ... }
 * </pre>
 *
 * Scopes are closed by the thread that has opened them, the last one first, as try does. What is
 * sampled of the thread meanwhile carries the values of all open scopes. An object can be opened any
 * number of times, also by several threads at once. Opening and closing make no objects.
 */
public final class HprofContext implements AutoCloseable {
    private static final int UNKNOWN = -1;

    private final HprofKey key;
    private final String value;

    // The agent's numbers, and until when they hold: written in this order, read in the other one.
    private int keyNumber = UNKNOWN;
    private int valueNumber;
    private boolean isPublished;
    private volatile int epoch;
    private volatile byte[] text; // for other profilers; null: not made yet

    HprofContext(HprofKey key, String value) {
        this.key = key;
        this.value = value;
    }

    /** The key. */
    public HprofKey key() {
        return key;
    }

    /** The value; null: none. */
    public String value() {
        return value;
    }

    /** From now on this thread works for this value. Returns this. */
    public HprofContext open() {
        if (Bridge.bound) {
            if (epoch != Cell.epoch())
                find();
            Cell.begin(keyNumber, valueNumber, isPublished ? this : null);
        }
        return this;
    }

    /** This thread works for what it worked for before. */
    @Override
    public void close() {
        if (Bridge.bound)
            Cell.end();
    }

    /** The agent has not heard of it yet, or may have forgotten it, or begins or ends to publish. */
    private synchronized void find() {
        int now = Cell.epoch();

        if (epoch == 0 || !Bridge.knows(valueNumber))
            valueNumber = value == null ? 0 : Bridge.value(value);
        keyNumber = key.number();
        isPublished = Record.generation() != 0;
        epoch = now;
    }

    /** The value as other profilers read it. Two threads may make it at once; both make the same. */
    byte[] text() {
        byte[] t = text;

        if (t == null)
            text = t = Record.textOf(value);
        return t;
    }

    /** The task with what the calling thread works for now, whichever thread runs it. */
    public static Runnable wrap(Runnable task) {
        int[] values = captured();

        return values == null ? task : () -> {
            int scopes = enter(values);

            try {
                task.run();
            } finally {
                leave(scopes);
            }
        };
    }

    /** The same for a task with a result. */
    public static <T> Callable<T> wrap(Callable<T> task) {
        int[] values = captured();

        return values == null ? task : () -> {
            int scopes = enter(values);

            try {
                return task.call();
            } finally {
                leave(scopes);
            }
        };
    }

    /** An executor whose tasks have what the thread works for that hands them over. */
    public static Executor wrap(Executor executor) {
        return task -> executor.execute(wrap(task));
    }

    /** The same for an executor with more to it. Ending one ends the other. */
    public static ExecutorService wrap(ExecutorService executor) {
        return new WrappedExecutor(executor);
    }

    private static int[] captured() {
        return Bridge.bound ? Cell.capture() : null;
    }

    private static int enter(int[] values) {
        return Cell.adopt(values);
    }

    private static void leave(int scopes) {
        while (scopes-- > 0)
            Cell.end();
    }

    @Override
    public String toString() {
        return key + "=" + value;
    }
}
