import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofKey;
import hprof.HprofResult;
import java.io.IOException;

/** Starts, looks at, dumps and stops a recording of itself; then what is refused, and the command. */
public class FromCode {
    static final HprofKey USER = HprofKey.of("user");
    static volatile long sink;

    /** CPU time: a busy machine takes away none of it. */
    static long spent() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static void alice() {
        long end = spent() + 200_000_000, x = 1;

        while (spent() < end)
            for (int i = 0; i < 1000; i++)
                x = x * 31 + i;
        sink = x;
    }

    interface Asked {
        String answer() throws IOException;
    }

    static void say(Asked asked) {
        try {
            System.out.println(asked.answer());
        } catch (IOException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        say(Hprof::status);
        say(() -> Hprof.start("cpu=samples,interval=1ms,file=x.jfr"));
        try (HprofContext c = USER.open("alice")) {
            alice();
        }
        say(Hprof::status);
        say(() -> Hprof.dump(""));
        say(() -> Hprof.stop("id=1"));
        say(() -> Hprof.stop(""));
        say(() -> Hprof.start("nonsense=1"));
        HprofResult version = Hprof.run("version");
        System.out.println(version.status() + " " + version.output().trim());
        HprofResult unknown = Hprof.run("report", "/nowhere.jfr");
        System.out.println(unknown.status() + " " + unknown.errors().contains("/nowhere.jfr"));
    }
}
