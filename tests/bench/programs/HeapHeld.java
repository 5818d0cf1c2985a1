// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * Holds many objects and writes its heap: HeapHeld h2|map COUNT FILE. "h2" is a database in memory with COUNT rows and an index,
 * besides a LinkedList, a TreeMap and a random graph; it needs H2 on the class path. "map" is a HashMap of arrays.
 */
public class HeapHeld {
    static final class Node {
        final Node[] to = new Node[4];
    }

    static Object[] held;

    static Object database(int count) throws Exception {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:held;DB_CLOSE_DELAY=-1");
        connection.createStatement().execute("create table rows_held(id int primary key, name varchar, amount bigint, note varchar)");
        connection.createStatement().execute("create index by_name on rows_held(name)");
        PreparedStatement insert = connection.prepareStatement("insert into rows_held values(?, ?, ?, ?)");
        for (int i = 0; i < count; i++) {
            insert.setInt(1, i);
            insert.setString(2, "name " + i % 5000);
            insert.setLong(3, i * 7L);
            insert.setString(4, "a note for the row with number " + i);
            insert.execute();
        }
        return connection;
    }

    static Object graph(int count, Random random) {
        Node[] nodes = new Node[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = new Node();
        }
        for (Node node : nodes) {
            for (int k = 0; k < 4; k++) {
                node.to[k] = nodes[random.nextInt(count)];
            }
        }
        return nodes;
    }

    static Object map(int count) {
        Map<String, Object[]> map = new HashMap<>();
        for (int i = 0; i < count; i++) {
            map.put("key " + i, new Object[] {"value " + i, (long) i + 1000, "another value of " + i});
        }
        return map;
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        Random random = new Random(1);
        if (args[0].equals("map")) {
            held = new Object[] {map(count)};
        } else {
            LinkedList<String> list = new LinkedList<>();
            TreeMap<Integer, String> tree = new TreeMap<>();
            for (int i = 0; i < count / 2; i++) {
                list.add("item " + i);
                tree.put(random.nextInt(), "leaf " + i);
            }
            held = new Object[] {list, tree, graph(count / 4 * 3, random), database(count)};
        }
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[2], true);
    }
}
