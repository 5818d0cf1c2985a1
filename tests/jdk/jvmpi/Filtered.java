/*
 * Makes 1,000 objects of a class, 200 arrays of them, 300 of ints in arrays, and 100 of another class.
 * SPDX-License-Identifier: Apache-2.0
 */
public class Filtered {
    static class Item {
    }

    static class Other {
    }

    static volatile Object sink;

    public static void main(String[] args) {
        for (int i = 0; i < 1000; i++)
            sink = new Item();
        for (int i = 0; i < 200; i++)
            sink = new Item[3];
        for (int i = 0; i < 300; i++)
            sink = new int[2][777];
        for (int i = 0; i < 100; i++)
            sink = new Other();
        System.out.println("done");
    }
}
