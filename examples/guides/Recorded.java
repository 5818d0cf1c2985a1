// SPDX-License-Identifier: Apache-2.0
import hprof.Hprof;

/** Recorded - a program that records itself by hprof.jar, for docs/guides/java-code.md. */
public class Recorded {
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        System.out.println(Hprof.start("event=cpu,interval=1ms,verbose=n,file=own.jfr"));
        work();
        System.out.println(Hprof.stop(""));
        System.out.print(Hprof.run("report", "-n", "3", "own.jfr").output());
    }

    /** Computes for a second. */
    static void work() {
        long end = System.nanoTime() + 1000000000L;
        while (System.nanoTime() < end)
            sink = sink * 31 + 7;
    }
}
