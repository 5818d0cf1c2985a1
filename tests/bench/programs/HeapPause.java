// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Many objects and a heartbeat: a thread that sleeps 1 ms again and again and keeps the longest gap. Arguments: how
 * many objects (millions), their shape (small, arrays, varied), and "write" for a thread that writes to small objects at
 * random. A line "reset" on stdin starts the
 * measurement anew, "gap" prints the longest gap in us and the number of writes, anything else ends.
 */
public class HeapPause {
    static volatile long longest, writes;
    static final class Item {
        Item next;
        int a, b;
    }

    static void beat() {
        long before = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - before > longest)
                longest = now - before;
            before = now;
        }
    }

    static void write(Item[] items) {
        long random = 88172645463325252L;
        while (true) {
            for (int i = 0; i < 1000; i++) {
                random ^= random << 13; // xorshift
                random ^= random >>> 7;
                random ^= random << 17;
                items[(int) ((random >>> 1) % items.length)].a++;
            }
            writes += 1000;
        }
    }

    static void startDaemon(Runnable run) {
        Thread thread = new Thread(run);
        thread.setDaemon(true);
        thread.start();
    }

    /** An entry, an Integer, an Object[], a String and what it holds, a Long: six objects. */
    static Object arrays(int count) {
        Map<Integer, Object[]> map = new HashMap<>(count / 6);
        for (int i = 0; i < count / 6; i++)
            map.put(i, new Object[] {"row " + i, i + 1000000L});
        return map;
    }

    /** What servers have: rows of a table, documents, sorted indexes, buffers; some 20 objects a row. */
    static Object varied(int count) {
        Collection<Object> all = new ArrayList<>();
        TreeMap<String, Object> index = new TreeMap<>();
        for (int i = 0; i < count / 20; i++) {
            Map<String, Object> row = i % 3 == 0 ? new LinkedHashMap<>() : new HashMap<>();
            List<Object> postings = new ArrayList<>(4);
            row.put("id", (long) i + 1000000);
            row.put("name", "customer " + i);
            row.put("price", i * 0.5);
            row.put("body", new byte[20 + i * 7 % 200]);
            postings.add(new int[] {i, i + 1, i + 2});
            postings.add(new Item());
            postings.add(new StringBuilder().append(i));
            row.put("postings", postings);
            if (i % 4 == 0)
                index.put("key " + i, row);
            else
                all.add(row);
            if (i % 1000 == 0)
                all.add(new long[1024]);
        }
        all.add(index);
        return all;
    }

    static volatile Object kept;

    public static void main(String[] args) throws Exception {
        int total = Integer.parseInt(args[0]) * 1000000;
        String shape = args[1];
        int count = shape.equals("small") ? total : 0;
        Item[] items = new Item[args.length > 2 ? count / 4 : 0];
        Map<Integer, Item> map = new HashMap<>(count / 4);
        Item last = null;
        if (shape.equals("arrays"))
            kept = arrays(total);
        else if (shape.equals("varied"))
            kept = varied(total);
        for (int i = 0; i < count / 4; i++) { // an entry, an Integer, two items: four objects
            Item item = new Item();
            item.next = last;
            last = new Item();
            last.next = item;
            map.put(i, item);
            if (items.length > 0)
                items[i] = item;
        }
        startDaemon(HeapPause::beat);
        if (items.length > 0)
            startDaemon(() -> write(items));
        System.out.println("ready");
        byte[] line = new byte[100];
        long before = 0;
        for (int n; (n = System.in.read(line)) > 0;) {
            String command = new String(line, 0, n).trim();
            if (command.equals("reset")) {
                longest = 0;
                before = writes;
            } else if (command.equals("gap"))
                System.out.println("gap " + longest / 1000 + " " + (writes - before));
            else
                break;
        }
        System.out.println(map.size() + (last == null ? 1 : 0));
    }
}
