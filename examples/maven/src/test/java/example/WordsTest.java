// SPDX-License-Identifier: Apache-2.0
package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofKey;
import hprof.HprofResult;
import org.junit.jupiter.api.Test;

/** A test that leaves a profile of what it tested, and reads it: target/words.jfr. */
class WordsTest {
    private static final HprofKey TEXT = HprofKey.of("text", "which text was counted");
    private static final String PROFILE = "target/words.jfr";

    @Test
    void countsDifferentWords() {
        assertEquals(3, Words.count("one two, two three three Three"));
    }

    @Test
    void theLongTextTakesTheTime() throws Exception {
        Hprof.start("event=cpu,interval=1ms,verbose=n,file=" + PROFILE);
        String shortText = "one two three", longText = text(20000);
        long end = System.nanoTime() + 1000000000L;
        while (System.nanoTime() < end) {
            countOf("short", shortText);
            countOf("long", longText);
        }
        Hprof.stop("");

        HprofResult methods = Hprof.run("report", "-n", "20", PROFILE);
        assertTrue(methods.output().contains("example.Words.count"), methods.output() + methods.errors());
        HprofResult texts = Hprof.run("report", "--by", "text", PROFILE);
        assertTrue(share(texts.output(), "long") > 50, texts.output() + texts.errors());
    }

    private static void countOf(String name, String text) {
        try (HprofContext open = TEXT.open(name)) {
            assertTrue(Words.count(text) > 0);
        }
    }

    /** A text of many words, most of them different. */
    private static String text(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++)
            text.append("word").append(i * 31 % words).append(' ');
        return text.toString();
    }

    /** The percentage in the row of a table of `hprof report` that ends with a name. */
    private static double share(String table, String name) {
        for (String line : table.split("\n"))
            if (line.contains("%") && line.trim().endsWith(name))
                return Double.parseDouble(line.trim().split("%")[0]);
        return 0;
    }
}
