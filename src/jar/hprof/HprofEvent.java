/*
 * HprofEvent.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

/**
 * An event of a type that the application has defined ({@link HprofEventType}): it begins, is given
 * values, and is committed, by one thread, once. Values that were not set are 0, false or null.
 *
 * Fields have the indexes in which they were defined. A value of another type than the field's is
 * an IllegalArgumentException, where events are recorded.
 */
public final class HprofEvent {
    static final long NOT_BEGUN = Long.MIN_VALUE;

    private final HprofEventType type;
    private final long startNs;
    private final long[] numbers; // null: this event does nothing
    private final Object[] objects;

    /** The one that does nothing. */
    HprofEvent(HprofEventType type) {
        this.type = type;
        startNs = 0;
        numbers = null;
        objects = null;
    }

    HprofEvent(HprofEventType type, long startNs) {
        this.type = type;
        this.startNs = startNs;
        numbers = new long[type.fields()];
        objects = type.hasObjects() ? new Object[numbers.length] : null;
    }

    /** Whether commit() would record it, if it ended now: whether values are worth finding out. */
    public boolean shouldCommit() {
        return numbers != null && type.wants(System.nanoTime() - startNs, startNs != NOT_BEGUN);
    }

    /** Set a field of type boolean. */
    public HprofEvent set(int field, boolean value) {
        if (numbers != null)
            numbers[of(field, HprofEventType.BOOLEAN)] = value ? 1 : 0;
        return this;
    }

    /** Set a field of type int or long. */
    public HprofEvent set(int field, int value) {
        if (numbers != null)
            numbers[type.sort(field) == HprofEventType.INT ? field : of(field, HprofEventType.LONG)] = value;
        return this;
    }

    /** Set a field of type long. */
    public HprofEvent set(int field, long value) {
        if (numbers != null)
            numbers[of(field, HprofEventType.LONG)] = value;
        return this;
    }

    /** Set a field of type double. */
    public HprofEvent set(int field, double value) {
        if (numbers != null)
            numbers[of(field, HprofEventType.DOUBLE)] = Double.doubleToRawLongBits(value);
        return this;
    }

    /** Set a field of type String. What is very long is cut: an event has room for 4 KB of text. */
    public HprofEvent set(int field, String value) {
        if (numbers != null)
            objects[of(field, HprofEventType.TEXT)] = value;
        return this;
    }

    /** Set a field of type Thread. A virtual thread is none that a recording can name. */
    public HprofEvent set(int field, Thread value) {
        if (numbers != null)
            objects[of(field, HprofEventType.THREAD)] = value;
        return this;
    }

    /** Set a field of type Class. */
    public HprofEvent set(int field, Class<?> value) {
        if (numbers != null)
            objects[of(field, HprofEventType.CLASS)] = value;
        return this;
    }

    private int of(int field, int sort) {
        if (type.sort(field) != sort)
            throw new IllegalArgumentException("HprofEvent " + type + ": field " + field + " is of another type");
        return field;
    }

    /** It ends, and is recorded where somebody records, if it has lasted long enough. */
    public void commit() {
        long endNs;

        if (numbers == null)
            return;
        endNs = System.nanoTime();
        if (type.wants(endNs - startNs, startNs != NOT_BEGUN))
            Bridge.commit(type.number(), startNs == NOT_BEGUN ? endNs : startNs, endNs, numbers, objects);
    }
}
