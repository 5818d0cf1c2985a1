// SPDX-License-Identifier: Apache-2.0
import java.util.HashMap;
import java.util.Map;

/**
 * Many small objects and a heartbeat: a thread that sleeps 1 ms again and again and keeps the longest gap. Argument: how
 * many objects (millions). A line "reset" on stdin starts the measurement anew, "gap" prints the longest gap in us,
 * anything else ends.
 */
public class HeapPause {
    static volatile long longest;
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

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]) * 1000000;
        Map<Integer, Item> map = new HashMap<>(count / 4);
        Item last = null;
        for (int i = 0; i < count / 4; i++) { // an entry, an Integer, two items: four objects
            Item item = new Item();
            item.next = last;
            last = new Item();
            last.next = item;
            map.put(i, item);
        }
        Thread heart = new Thread(HeapPause::beat);
        heart.setDaemon(true);
        heart.start();
        System.out.println("ready");
        byte[] line = new byte[100];
        for (int n; (n = System.in.read(line)) > 0;) {
            String command = new String(line, 0, n).trim();
            if (command.equals("reset"))
                longest = 0;
            else if (command.equals("gap"))
                System.out.println("gap " + longest / 1000);
            else
                break;
        }
        System.out.println(map.size() + (last == null ? 1 : 0));
    }
}
