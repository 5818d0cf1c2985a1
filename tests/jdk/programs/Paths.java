// SPDX-License-Identifier: Apache-2.0

/** An object at the end of each of 2^levels ways through two methods. Arguments: levels, how often: each time in a thread. */
public class Paths {
    static volatile Object kept;

    static void left(int way, int levels) {
        go(way, levels);
    }

    static void right(int way, int levels) {
        go(way, levels);
    }

    static void go(int way, int levels) {
        if (levels == 0)
            kept = new Paths();
        else if ((way & 1) == 0)
            left(way >> 1, levels - 1);
        else
            right(way >> 1, levels - 1);
    }

    static void all(int levels) {
        for (int way = 0; way < 1 << levels; way++)
            go(way, levels);
    }

    public static void main(String[] args) throws InterruptedException {
        int levels = Integer.parseInt(args[0]);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            Thread thread = new Thread(() -> all(levels));
            thread.start();
            thread.join();
        }
    }
}
