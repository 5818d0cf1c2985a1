// SPDX-License-Identifier: Apache-2.0
package example;

import java.util.Arrays;

/** Words - what the example's test profiles: sorting is most of the work. */
public final class Words {
    private Words() {
    }

    /** How many different words a text has. */
    public static int count(String text) {
        String[] words = text.toLowerCase().split("\\W+");
        Arrays.sort(words);
        int count = 0;
        for (int i = 0; i < words.length; i++)
            count += i == 0 || !words[i].equals(words[i - 1]) ? 1 : 0;
        return count;
    }
}
