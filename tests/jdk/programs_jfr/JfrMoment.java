// SPDX-License-Identifier: Apache-2.0
import jdk.jfr.Event;
import jdk.jfr.Name;

/** Events of the JDK's own recording that say what System.nanoTime() was. */
public class JfrMoment {
    @Name("test.Moment")
    static class Moment extends Event {
        long nanoTime;
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + 1_500_000_000L;
        while (System.nanoTime() < end) {
            Moment moment = new Moment();
            moment.nanoTime = System.nanoTime();
            moment.commit();
            Thread.sleep(10);
        }
    }
}
