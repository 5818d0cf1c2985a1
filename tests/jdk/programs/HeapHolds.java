// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A heap of which the test knows what holds what, and what is wasted. Arguments: entries of the map that leaks, of 1000 bytes each; how
 * long to sleep, ms.
 */
public class HeapHolds {
    /** Its hash is always the same. */
    static final class Alike {
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
    }

    /** A class of each of several loaders of the same kind, as of an application that is deployed again. */
    public static class Plugin {
        public static byte[] state = new byte[200000];
        public Object listener = this;
    }

    static final class PluginLoader extends ClassLoader {
        PluginLoader() {
            super(HeapHolds.class.getClassLoader());
        }

        Object newPlugin(byte[] bytes) throws Exception {
            return defineClass("HeapHolds$Plugin", bytes, 0, bytes.length).getConstructor().newInstance();
        }
    }

    static final class Holder {
        List<Object> emptyLists = new ArrayList<>();
        Map<Integer, Map<String, String>> sparseMaps = new LinkedHashMap<>();
        Map<Alike, Integer> collisions = new HashMap<>();
        Object[] twins = new Object[500];
        Object[] boxes = new Object[300];
        Object[] longs = new Object[200];
        int[][] zeros = new int[20][1000];
        Object[] sparse = new Object[5000];
        List<Object> others = new ArrayList<>();
    }

    static final Map<String, byte[]> LEAK = new HashMap<>();
    static final ThreadLocal<List<byte[]>> LOCAL = new ThreadLocal<>();
    static final List<Object> LISTENERS = new ArrayList<>();
    static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    static Holder holder = new Holder();
    static Object[] references = new Object[4];
    static ByteBuffer[] direct = new ByteBuffer[5];
    static Object current;

    static byte[] read(String name) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = HeapHolds.class.getResourceAsStream(name)) {
            for (int b = in.read(); b >= 0; b = in.read())
                out.write(b);
        }
        return out.toByteArray();
    }

    static byte[] leaked() {
        return new byte[1000];
    }

    static void fillCollections() {
        Holder h = holder;
        for (int i = 0; i < 100; i++) {
            h.emptyLists.add(new ArrayList<>(20));
            Map<String, String> map = new HashMap<>(1024);
            map.put("key", "value");
            h.sparseMaps.put(i, map);
        }
        for (int i = 0; i < 60; i++)
            h.collisions.put(new Alike(i), i);
        for (int i = 0; i < h.twins.length; i++)
            h.twins[i] = new String("a text that is there often".toCharArray());
        for (int i = 0; i < h.boxes.length; i++)
            h.boxes[i] = Integer.valueOf(77777);
        for (int i = 0; i < h.longs.length; i++)
            h.longs[i] = Long.valueOf(1000000 + i);
        h.sparse[17] = "not null";
        Map<String, String> tree = new TreeMap<>();
        Map<String, String> concurrent = new ConcurrentHashMap<>();
        List<String> linked = new LinkedList<>();
        ArrayDeque<String> deque = new ArrayDeque<>();
        for (int i = 0; i < 10; i++) {
            tree.put("t" + i, "");
            concurrent.put("c" + i, "");
            linked.add("l" + i);
            deque.add("d" + i);
        }
        h.others.add(tree);
        h.others.add(concurrent);
        h.others.add(linked);
        h.others.add(deque);
        h.others.add(new HashSet<>());
    }

    static void fillDirect() throws Exception {
        direct[0] = ByteBuffer.allocateDirect(1 << 20);
        direct[1] = ByteBuffer.allocateDirect(2 << 20);
        direct[2] = ByteBuffer.allocateDirect(3 << 20);
        direct[3] = direct[2].slice();
        File file = File.createTempFile("heap", "holds");
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            f.setLength(65536);
            direct[4] = f.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, 65536);
        }
        file.delete();
    }

    static void hold(ByteBuffer local, long ms) throws InterruptedException {
        byte[] onlyOnTheStack = new byte[300000];
        LOCAL.set(new ArrayList<>());
        for (int i = 0; i < 400; i++)
            LOCAL.get().add(new byte[1000]);
        synchronized (LEAK) {
            LEAK.notifyAll();
        }
        Thread.sleep(ms);
        if (onlyOnTheStack.length + local.capacity() == 0)
            System.out.println();
    }

    public static void main(String[] args) throws Exception {
        long ms = Long.parseLong(args[1]);
        byte[] bytes = read("HeapHolds$Plugin.class");
        for (int i = 0; i < 3; i++) {
            PluginLoader loader = new PluginLoader();
            current = loader.newPlugin(bytes);
            LISTENERS.add(i < 2 ? current : null); // two are gone, and are still held
            Thread.currentThread().setContextClassLoader(loader);
        }
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            LEAK.put("leak " + i, leaked());
        fillCollections();
        fillDirect();
        references[0] = new WeakReference<>(holder);
        references[1] = new SoftReference<>(new byte[50000]);
        references[2] = new PhantomReference<>(new byte[10], QUEUE);
        references[3] = new WeakReference<>(new byte[70000]);
        Thread thread = new Thread(() -> {
            try {
                hold(ByteBuffer.allocate(10), ms);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "holder of locals");
        thread.setDaemon(true);
        synchronized (LEAK) {
            thread.start();
            LEAK.wait();
        }
        System.out.println("ready");
        Thread.sleep(ms);
        System.out.println(LEAK.size() + references.length + direct.length);
    }
}
