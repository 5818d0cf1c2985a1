// SPDX-License-Identifier: Apache-2.0
import java.io.File;

/**
 * Exceptions that go through many methods and are caught by one without probes: main's loop, which runs when an agent
 * comes late, and Guard, which exclude= leaves out. Arguments: ROUNDS, or FILE to go on until it is there.
 */
public class Caught {
    static final class Guard {
        static void run(int depth) {
            try {
                Caught.fall(depth);
            } catch (IllegalStateException e) {
                Caught.calm();
            }
        }
    }

    static void fall(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        fall(depth - 1);
    }

    static void calm() {
    }

    static void outer() {
        Guard.run(3);
        calm();
    }

    public static void main(String[] args) throws Exception {
        boolean isFile = !Character.isDigit(args[0].charAt(0));
        int rounds = isFile ? Integer.MAX_VALUE : Integer.parseInt(args[0]);
        File file = new File(args[0]);
        for (int round = 0; round < rounds; round++) {
            if (round == 1)
                System.out.println("ready");
            if (isFile && file.exists())
                break;
            try {
                fall(4);
            } catch (IllegalStateException e) {
                calm();
            }
            outer();
            if (isFile && round % 1000 == 999)
                System.out.println("1000 rounds");
        }
        System.out.println("done");
    }
}
