/*
 * HprofKey.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A name for something that threads work for: a user, an action, a file. Make keys once, as
 * constants:
 *
 * <pre>
 * static final HprofKey USER = HprofKey.of("user", "who has asked");
 *
 * try (HprofContext c = USER.open("alice")) { ... }
 * </pre>
 *
 * Values are remembered, so a value that comes again costs no memory. There are at most
 * {@value #KEYS} keys in a JVM; those beyond are without effect, which {@link #isUsed} tells.
 */
public final class HprofKey {
    /** So many keys of a JVM have an effect. */
    public static final int KEYS = 8;

    private static final int UNKNOWN = -2;
    private static final int REMEMBERED = 4096;
    private static final ConcurrentHashMap<String, HprofKey> ALL = new ConcurrentHashMap<>();

    private final String name;
    private final String about;
    private final HprofContext none = new HprofContext(this, null);
    private volatile int number = UNKNOWN;

    // Values that came lately, and those that came before them: so old ones are forgotten.
    private volatile ConcurrentHashMap<String, HprofContext> young = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<String, HprofContext> old = new ConcurrentHashMap<>();

    private HprofKey(String name, String about) {
        this.name = name;
        this.about = about;
    }

    /**
     * The key of this name, which is made if there is none.
     *
     * @param name as reports have it: letters, digits and underscores, no digit first, at most 63
     * @param about a description, for people; of a key that is there already it is not changed
     */
    public static HprofKey of(String name, String about) {
        check(name);
        return ALL.computeIfAbsent(name, n -> new HprofKey(n, about == null ? "" : about));
    }

    /** The same without a description. */
    public static HprofKey of(String name) {
        return of(name, "");
    }

    private static void check(String name) {
        boolean good = !name.isEmpty() && name.length() < 64 && !Character.isDigit(name.charAt(0));

        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);

            good &= c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        }
        if (!good)
            throw new IllegalArgumentException("HprofKey \"" + name + "\": a name is of letters, digits and"
                + " underscores, no digit first, at most 63 of them");
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The description; empty: there is none. */
    public String about() {
        return about;
    }

    /** Whether values of this key are recorded: the agent is there, and there is room for the key. */
    public boolean isUsed() {
        return Bridge.bound && number() >= 0;
    }

    /**
     * This value of the key, to be opened any number of times, by any thread: for values that are
     * known beforehand. {@code null} means that there is no value.
     */
    public HprofContext value(String value) {
        HprofContext known;

        if (value == null)
            return none;
        known = young.get(value);
        return known != null ? known : remember(value);
    }

    /** From now on, and until the result is closed, this thread works for this value. */
    public HprofContext open(String value) {
        // Where nobody looks nothing is looked up, either.
        return Bridge.bound ? value(value).open() : none;
    }

    private synchronized HprofContext remember(String value) {
        HprofContext known = young.get(value);

        if (known == null)
            known = old.get(value);
        if (known == null)
            known = new HprofContext(this, value);
        if (young.size() >= REMEMBERED) {
            old = young;
            young = new ConcurrentHashMap<>();
        }
        young.put(value, known);
        return known;
    }

    /** The agent's number; negative: it has none for this key. */
    int number() {
        int n = number;

        if (n == UNKNOWN)
            number = n = Bridge.key(name, about);
        return n;
    }

    @Override
    public String toString() {
        return name;
    }
}
