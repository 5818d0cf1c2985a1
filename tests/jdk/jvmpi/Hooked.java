/*
 * Says a text that agents may change. SPDX-License-Identifier: Apache-2.0
 */
public class Hooked {
    public static void main(String[] args) {
        System.out.println("text one");
    }
}
