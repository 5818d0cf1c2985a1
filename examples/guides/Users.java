// SPDX-License-Identifier: Apache-2.0
import hprof.HprofContext;
import hprof.HprofKey;

/**
 * Users - a server that says for whom it works, by hprof.jar; for docs/guides/contexts.md.
 *
 * bob's requests are four times as large as those of alice. The program runs until it is ended.
 */
public class Users {
    static final HprofKey USER = HprofKey.of("user", "who has asked");
    static volatile int length;

    public static void main(String[] args) throws Exception {
        for (int request = 0;; request++) {
            boolean isBob = request % 2 == 1;
            try (HprofContext user = USER.open(isBob ? "bob" : "alice")) {
                handle(isBob ? 400 : 100);
            }
            Thread.sleep(1);
        }
    }

    static void handle(int rows) {
        StringBuilder page = new StringBuilder();
        for (int row = 0; row < rows; row++)
            page.append(String.format("%d;%x%n", row, row));
        length = page.toString().length();
    }
}
