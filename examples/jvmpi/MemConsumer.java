/*
 * Allocates what its arguments say, in their order: a number is the length of a byte[], which it
 * keeps; "free" drops all of them, "gc" asks for a collection. The program that simpleprof.c looks at.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.util.ArrayList;
import java.util.List;

public class MemConsumer {
    public static void main(String[] args) {
        List<byte[]> kept = new ArrayList<>();
        for (String arg : args) {
            switch (arg) {
            case "free":
                kept.clear();
                break;
            case "gc":
                System.gc();
                break;
            default:
                kept.add(new byte[Integer.parseInt(arg)]);
            }
            System.out.println(arg + ": " + kept.size() + " kept");
        }
    }
}
