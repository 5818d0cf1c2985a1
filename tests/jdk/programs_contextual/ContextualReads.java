import jdk.jfr.Contextual;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Percentage;

/** Reads within orders of users, on two threads; and one that is in none of them. SPDX-License-Identifier: Apache-2.0 */
public class ContextualReads {
    @Name("shop.Trace") static class Trace extends Event { @Contextual String user; @Contextual @Percentage float part; int ignored = 7; }
    @Name("shop.Order") static class Order extends Event { @Contextual int number; }
    @Name("shop.Read") static class Read extends Event { @DataAmount long bytesRead; }

    static void read(long bytes) throws Exception {
        Read read = new Read();
        read.begin();
        read.bytesRead = bytes;
        Thread.sleep(1);
        read.commit();
    }

    static void serve(String user, int orders) throws Exception {
        Trace trace = new Trace();
        trace.user = user;
        trace.part = 0.25f;
        trace.begin();
        Thread.sleep(1);
        for (int i = 0; i < orders; i++) {
            Order order = new Order();
            order.begin();
            order.number = i + 1;
            read(100 * (i + 1));
            Thread.sleep(1);
            order.commit();
            Thread.sleep(1);
        }
        read(7);
        Thread.sleep(1);
        trace.commit();
        Thread.sleep(1);
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> {
            try {
                serve("bob", 2);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "other");
        other.start();
        serve("alice", 3);
        serve(null, 1);
        read(5);
        other.join();
    }
}
