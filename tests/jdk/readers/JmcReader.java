// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;

/** What the parser of JDK Mission Control finds in a JFR file: counts of events, top frames of samples, their threads. */
public class JmcReader {
    static void add(Map<String, Integer> counts, Object key) {
        counts.merge(String.valueOf(key), 1, Integer::sum);
    }

    public static void main(String[] args) throws Exception {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(args[0]));
        Map<String, Integer> counts = new TreeMap<>(), tops = new TreeMap<>();
        for (IItemIterable items : events) {
            IMemberAccessor<IMCStackTrace, IItem> stacks = JfrAttributes.EVENT_STACKTRACE.getAccessor(items.getType());
            IMemberAccessor<String, IItem> threads = JdkAttributes.EVENT_THREAD_NAME.getAccessor(items.getType());
            for (IItem item : items) {
                add(counts, item.getType().getIdentifier());
                if (!item.getType().getIdentifier().equals("jdk.ExecutionSample"))
                    continue;
                IMCFrame top = stacks.getMember(item).getFrames().get(0);
                add(tops, top.getMethod().getType().getFullName() + "." + top.getMethod().getMethodName() + " "
                        + threads.getMember(item));
            }
        }
        counts.forEach((name, count) -> System.out.println("events " + name + " " + count));
        tops.forEach((name, count) -> System.out.println("top " + name + " " + count));
    }
}
