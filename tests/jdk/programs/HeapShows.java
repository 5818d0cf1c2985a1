// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Objects of well-known classes, each in a static field, and one that several roots hold. Argument: how long to sleep, ms. */
public class HeapShows {
    static final String[] WORDS = {"one", "two", "three", "four", "five"};

    /** All of these have the same hash, so that they share a bucket, which becomes a tree. */
    static final class Alike implements Comparable<Alike> {
        final int number;

        Alike(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Alike && ((Alike) other).number == number;
        }

        @Override
        public int compareTo(Alike other) {
            return Integer.compare(number, other.number);
        }
    }

    static String latin = "gr\u00fc\u00df Gott", wide = "\u4f60\u597d, \ud83d\ude00";
    static Object arrayList = new ArrayList<>(Arrays.asList(WORDS)), vector = new Vector<>(Arrays.asList(WORDS));
    static Object linkedList = new LinkedList<>(Arrays.asList(WORDS)), copied = new CopyOnWriteArrayList<>(WORDS);
    static Object queue = new LinkedBlockingQueue<>(Arrays.asList(WORDS)), heapQueue = new PriorityQueue<>(Arrays.asList(WORDS));
    static ArrayDeque<String> ring = new ArrayDeque<>(8);
    static Object hashSet = new HashSet<>(Arrays.asList(WORDS)), treeSet = new TreeSet<>(Arrays.asList(WORDS));
    static Object linkedSet = new LinkedHashSet<>(Arrays.asList(WORDS));
    static Object keySet = ConcurrentHashMap.newKeySet(), unmodifiable = Collections.unmodifiableList(new ArrayList<>(Arrays.asList(WORDS)));
    static Object hashMap = fill(new HashMap<>()), linkedMap = fill(new LinkedHashMap<>()), treeMap = fill(new TreeMap<>());
    static Object table = fill(new Hashtable<>()), weakMap = fill(new WeakHashMap<>()), identity = fill(new IdentityHashMap<>());
    static Object concurrent = fill(new ConcurrentHashMap<>());
    static Map<Alike, Integer> tree = new HashMap<>(), concurrentTree = new ConcurrentHashMap<>();
    static EnumMap<TimeUnit, String> enums = new EnumMap<>(TimeUnit.class);
    static Properties properties = new Properties();
    static Object listOf = of(List.class, 3), listOfTwo = of(List.class, 2), setOf = of(type("java.util.Set"), 4), mapOf = of(Map.class, 4);
    static Object present = Optional.of("present"), empty = Optional.empty(), number = OptionalInt.of(42), none = OptionalInt.empty();
    static Object atomic = new AtomicLong(4711), box = Integer.valueOf(123456), real = Double.valueOf(2.5);
    static ByteBuffer heapBuffer = ByteBuffer.wrap("0123456789".getBytes()), direct = ByteBuffer.allocateDirect(4096), view;

    /** Keeps the object in a frame, one reference farther away with each `depth`. */
    static void keep(Object[] once, int depth, long ms, CountDownLatch in) {
        Object held = once[0];
        once[0] = null;
        for (int i = 0; i < depth; i++)
            held = new Object[] {held};
        in.countDown();
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.out.println(held);
    }

    static Map<String, Integer> fill(Map<String, Integer> map) {
        for (int i = 0; i < WORDS.length; i++)
            map.put(WORDS[i], 1000 + i);
        return map;
    }

    static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** List.of and its like, which JDK 9 and later have; null before. */
    static Object of(Class<?> type, int count) {
        Object[] words = new Object[count];
        Class<?>[] types = new Class<?>[count];
        for (int i = 0; i < count; i++) {
            words[i] = WORDS[i];
            types[i] = Object.class;
        }
        try {
            return type.getMethod("of", types).invoke(null, words);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    static void startKeepers(Object shared, long ms, CountDownLatch in) {
        for (int i = 0; i < 3; i++) {
            int depth = i;
            Object[] once = {shared};
            Thread thread = new Thread(() -> keep(once, depth, ms, in), "keeper " + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 7; i++)
            ring.add("gone");
        for (int i = 0; i < 7; i++)
            ring.remove();
        for (String word : WORDS)
            ring.add(word);
        for (int i = 0; i < 20; i++) {
            tree.put(new Alike(i), i);
            concurrentTree.put(new Alike(i), i);
        }
        ((java.util.Set<Object>) keySet).addAll(Arrays.asList(WORDS));
        enums.put(TimeUnit.DAYS, "day");
        enums.put(TimeUnit.HOURS, "hour");
        properties.setProperty("key", "value");
        heapBuffer.position(2);
        heapBuffer.limit(6);
        view = direct.duplicate();
        long ms = Long.parseLong(args[0]);
        CountDownLatch in = new CountDownLatch(3);
        startKeepers(new long[1000], ms, in);
        in.await();
        System.out.println("ready");
        Thread.sleep(ms);
    }
}
