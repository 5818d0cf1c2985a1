/*
 * HprofEventType.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A type of events that an application has: a name, and fields of a name and a type each. Make types
 * once, as constants:
 *
 * <pre>
 * static final HprofEventType QUERY = HprofEventType.named("com.acme.Query")
 *     .label("Query").category("Acme", "Database").threshold(10, TimeUnit.MILLISECONDS)
 *     .field("sql", String.class, "SQL").field("rows", int.class, "Rows").define();
 *
 * HprofEvent e = QUERY.begin();
 * ...
 * e.set(0, sql).set(1, rows).commit();
 * </pre>
 *
 * A recording as JFR (file=x.jfr) has the events under this name. Where none runs, and without the
 * agent, {@link #begin} gives an event that does nothing, and nothing is made. There are at most
 * {@value #TYPES} types in a JVM; those beyond are without effect, which {@link #isUsed} tells.
 */
public final class HprofEventType {
    /** So many types of a JVM have an effect. */
    public static final int TYPES = 64;
    /** So many fields has a type at most. */
    public static final int FIELDS = 16;

    /** What the number of a field counts. */
    public enum Unit {
        /** Nothing that is said. */
        NONE,
        /** An amount of data. */
        BYTES,
        /** A length of time. */
        NANOSECONDS,
        /** A length of time. */
        MILLISECONDS,
        /** A moment: milliseconds since 1970, as System.currentTimeMillis() has it. */
        EPOCH_MILLISECONDS,
        /** A fraction of 1. */
        PERCENT
    }

    // What a value is: the agent's enum custom_sort.
    static final int BOOLEAN = 0, INT = 1, LONG = 2, DOUBLE = 3, TEXT = 4, THREAD = 5, CLASS = 6;
    private static final Class<?>[] SORTS = {boolean.class, int.class, long.class, double.class,
        String.class, Thread.class, Class.class};
    private static final int UNKNOWN = -2;

    private final String[] texts; // name, label, description, category; name and label of each field
    private final int[] numbers;  // what each field is, and its unit
    private final long thresholdNs;
    private final boolean hasStack;
    private final boolean hasObjects;
    private final HprofEvent none = new HprofEvent(this);
    private volatile int number = UNKNOWN;

    private HprofEventType(Definition d) {
        texts = d.texts.toArray(new String[0]);
        numbers = new int[d.numbers.size()];
        boolean any = false;
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = d.numbers.get(i);
            any |= i % 2 == 0 && numbers[i] >= TEXT;
        }
        hasObjects = any;
        thresholdNs = d.thresholdNs;
        hasStack = d.hasStack;
    }

    /** A definition begins. The name is as a class's: "com.acme.Query". */
    public static Definition named(String name) {
        return new Definition(name);
    }

    /** What a type is to be. */
    public static final class Definition {
        private static final int CATEGORY_PARTS = 4, CATEGORY_CHARS = 63, CHARS = 127;

        private final List<String> texts = new ArrayList<>();
        private final List<Integer> numbers = new ArrayList<>();
        private long thresholdNs;
        private boolean hasStack = true;

        private Definition(String name) {
            boolean good = name.length() <= CHARS && !name.startsWith("jdk.") && !name.startsWith("hprof.")
                && !name.startsWith("profiler.");

            for (String part : name.split("\\.", -1))
                good &= isIdentifier(part);
            if (!good)
                throw new IllegalArgumentException("HprofEventType \"" + name + "\": a name is that of a class, at most "
                    + CHARS + " characters, and not of jdk, hprof or profiler");
            texts.add(name);
            texts.add(name.substring(name.lastIndexOf('.') + 1));
            texts.add("");
            texts.add("Application");
        }

        private static boolean isIdentifier(String s) {
            boolean good = !s.isEmpty() && Character.isJavaIdentifierStart(s.charAt(0));

            for (int i = 0; i < s.length(); i++)
                good &= Character.isJavaIdentifierPart(s.charAt(i));
            return good;
        }

        private static String checked(String text) {
            if (text.length() > CHARS || text.indexOf('\0') >= 0)
                throw new IllegalArgumentException("HprofEventType: \"" + text + "\" has more than " + CHARS
                    + " characters, or one that is 0");
            return text;
        }

        /** The name for people; else the last part of the name. */
        public Definition label(String label) {
            texts.set(1, checked(label));
            return this;
        }

        /** What such an event is. */
        public Definition description(String about) {
            texts.set(2, checked(about));
            return this;
        }

        /** Where tools show it, as in category("Acme", "Database"); else under "Application". */
        public Definition category(String... parts) {
            if (parts.length == 0 || parts.length > CATEGORY_PARTS)
                throw new IllegalArgumentException("HprofEventType: a category has 1 to " + CATEGORY_PARTS + " parts");
            for (String part : parts)
                if (part.isEmpty() || part.length() > CATEGORY_CHARS || part.indexOf('|') >= 0)
                    throw new IllegalArgumentException("HprofEventType: \"" + part + "\" is no part of a category: those have 1 to "
                        + CATEGORY_CHARS + " characters, and no |");
            texts.set(3, checked(String.join("|", parts)));
            return this;
        }

        /** Events that have begun and last less are left out; else all are recorded. */
        public Definition threshold(long time, TimeUnit unit) {
            thresholdNs = unit.toNanos(time);
            return this;
        }

        /** Whether events have the stack of their thread, as they do if nothing is said. */
        public Definition stack(boolean hasStack) {
            this.hasStack = hasStack;
            return this;
        }

        /**
         * A field, which has the next index, from 0.
         *
         * @param type boolean, int, long, double, String, Thread or Class
         * @param label for people
         */
        public Definition field(String name, Class<?> type, String label, Unit unit) {
            int sort = 0;

            while (sort < SORTS.length && SORTS[sort] != type)
                sort++;
            if (sort == SORTS.length)
                throw new IllegalArgumentException("HprofEventType " + texts.get(0) + ": a field is boolean, int, long, double,"
                    + " String, Thread or Class, not " + type);
            if (!isIdentifier(name) || isTaken(name))
                throw new IllegalArgumentException("HprofEventType " + texts.get(0) + ": \"" + name + "\" is no name of a field,"
                    + " or that of another");
            if (numbers.size() == 2 * FIELDS)
                throw new IllegalArgumentException("HprofEventType " + texts.get(0) + ": a type has " + FIELDS + " fields at most");
            if (unit != Unit.NONE && (sort < INT || sort > DOUBLE || (unit == Unit.PERCENT) != (sort == DOUBLE)))
                throw new IllegalArgumentException("HprofEventType " + texts.get(0) + ": " + name + " cannot be in " + unit
                    + ": int and long can, and double in PERCENT");
            texts.add(checked(name));
            texts.add(checked(label));
            numbers.add(sort);
            numbers.add(unit.ordinal());
            return this;
        }

        /** The same without a unit. */
        public Definition field(String name, Class<?> type, String label) {
            return field(name, type, label, Unit.NONE);
        }

        /** The same, whose name is all that people see. */
        public Definition field(String name, Class<?> type) {
            return field(name, type, "", Unit.NONE);
        }

        private boolean isTaken(String name) {
            boolean taken = name.equals("startTime") || name.equals("duration") || name.equals("eventThread")
                || name.equals("stackTrace") || name.equals("context");

            for (int i = 4; i < texts.size(); i += 2)
                taken |= texts.get(i).equals(name);
            return taken;
        }

        /** The type. */
        public HprofEventType define() {
            return new HprofEventType(this);
        }
    }

    /** The name. */
    public String name() {
        return texts[0];
    }

    /** Whether events of this type are recorded now. */
    public boolean isEnabled() {
        return Bridge.bound && Words.of(number()) != 0;
    }

    /** Whether a recording has room for the type: the agent is there, and there are not too many. */
    public boolean isUsed() {
        return Bridge.bound && number() >= 0;
    }

    /** An event begins. Where none is wanted it is one that does nothing, and no object is made. */
    public HprofEvent begin() {
        return isEnabled() ? new HprofEvent(this, System.nanoTime()) : none;
    }

    /** An event that has no duration: its moment is that of commit(). */
    public HprofEvent event() {
        return isEnabled() ? new HprofEvent(this, HprofEvent.NOT_BEGUN) : none;
    }

    int fields() {
        return numbers.length / 2;
    }

    boolean hasObjects() {
        return hasObjects;
    }

    int sort(int field) {
        return numbers[2 * field];
    }

    /** Whether one that has lasted so long is wanted. */
    boolean wants(long durationNs, boolean hasBegun) {
        long word = Bridge.bound ? Words.of(number()) : 0;

        return word != 0 && (!hasBegun || durationNs >= word - 1);
    }

    /** The agent's number; negative: it has none for this type. */
    int number() {
        int n = number;

        return n != UNKNOWN ? n : find();
    }

    private synchronized int find() {
        if (number == UNKNOWN)
            number = Words.define(texts, numbers, thresholdNs, hasStack);
        return number;
    }

    @Override
    public String toString() {
        return texts[0];
    }
}
