// SPDX-License-Identifier: Apache-2.0
/** An array of 2 GB, which the agent large.c asks for. */
public class Large {
    static byte[] kept;

    public static void main(String[] args) {
        kept = new byte[Integer.MAX_VALUE - 8];
        System.out.println(kept.length);
    }
}
