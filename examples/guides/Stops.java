// SPDX-License-Identifier: Apache-2.0

/**
 * Stops - requests that now and then all stand still, though no collection is long; for
 * docs/guides/spikes.md.
 *
 * A thread saves a large table in one piece, again and again. Requests make garbage. The program
 * runs until it is ended.
 */
public class Stops {
    static final long[] table = new long[32 << 20], saved = new long[32 << 20];
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        Thread saves = new Thread(Stops::save, "saves");
        saves.setDaemon(true);
        saves.start();
        for (;;) {
            handle();
            Thread.sleep(1);
        }
    }

    /** Makes one megabyte of garbage. */
    static void handle() {
        for (int i = 0; i < 256; i++)
            sink = new byte[4096];
    }

    static void save() {
        for (;; sleep(20))
            System.arraycopy(table, 0, saved, 0, table.length);
    }

    static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
