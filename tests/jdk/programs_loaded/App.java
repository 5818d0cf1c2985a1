/* One of the applications of Loaders. SPDX-License-Identifier: Apache-2.0 */
import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofEventType;
import hprof.HprofKey;

public class App {
    static final HprofEventType DONE = HprofEventType.named("app.Done").field("name", String.class).define();
    static final HprofKey NAME = HprofKey.of("name");
    static volatile long sink;

    public static String start(String options) throws Exception {
        return Hprof.start(options).startsWith("start id=1 ") ? "started" : "not started";
    }

    public static String stop(String which) throws Exception {
        return Hprof.stop(which).startsWith("stop id=1 ") ? "stopped" : "not stopped";
    }

    public static String command(String word) throws Exception {
        return "" + Hprof.run(word).status();
    }

    static long spent() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    public static String work(String name) {
        long end = spent() + 100_000_000, x = 1;

        try (HprofContext c = NAME.open(name)) {
            while (spent() < end)
                for (int i = 0; i < 1000; i++)
                    x = x * 31 + i;
            DONE.begin().set(0, name).commit();
        }
        sink = x;
        return name + " " + Hprof.isLoaded();
    }
}
