// SPDX-License-Identifier: Apache-2.0
import java.util.HashMap;
import java.util.Map;

/**
 * Many small objects and a heartbeat: a thread that sleeps 1 ms again and again and keeps the longest gap. Arguments: how
 * many objects (millions), and "write" for a thread that writes to objects at random. A line "reset" on stdin starts the
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

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]) * 1000000;
        Item[] items = new Item[args.length > 1 ? count / 4 : 0];
        Map<Integer, Item> map = new HashMap<>(count / 4);
        Item last = null;
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
