// SPDX-License-Identifier: Apache-2.0

/** An object at the end of each of 2^LEVELS ways through two methods. Argument: how often. */
public class SitesPaths {
    static final int LEVELS = 11;
    static volatile Object kept;

    static void left(int way, int levels) {
        go(way, levels);
    }

    static void right(int way, int levels) {
        go(way, levels);
    }

    static void go(int way, int levels) {
        if (levels == 0)
            kept = new SitesPaths();
        else if ((way & 1) == 0)
            left(way >> 1, levels - 1);
        else
            right(way >> 1, levels - 1);
    }

    public static void main(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            for (int way = 0; way < 1 << LEVELS; way++)
                go(way, LEVELS);
    }
}
