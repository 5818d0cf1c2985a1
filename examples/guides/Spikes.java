// SPDX-License-Identifier: Apache-2.0

/**
 * Spikes - requests that are quick, and now and then one that takes long; for docs/guides/spikes.md.
 *
 * Each 400th request empties the cache. The program runs until it is ended.
 */
public class Spikes {
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        for (int request = 1;; request++) {
            handle(request);
            Thread.sleep(2);
        }
    }

    static void handle(int request) {
        compute(100);
        if (request % 400 == 0)
            emptyCache();
    }

    static void emptyCache() {
        compute(150000);
    }

    /** Computes for so many microseconds. */
    static void compute(int us) {
        long end = System.nanoTime() + us * 1000L;
        while (System.nanoTime() < end)
            sink = sink * 31 + 7;
    }
}
