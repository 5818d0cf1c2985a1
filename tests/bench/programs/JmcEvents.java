// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** Loads a recording by the parser of JDK Mission Control and counts its events. */
public class JmcEvents {
    public static void main(String[] args) throws Exception {
        long count = 0;
        for (IItemIterable items : JfrLoaderToolkit.loadEvents(new File(args[0])))
            count += items.getItemCount();
        System.out.println(count);
    }
}
