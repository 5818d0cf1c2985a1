/*
 * Main.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command: {@code java -jar hprof.jar record -d 10s -o x.jfr PID}. */
final class Main {
    private static final int FAILED = 1;

    private Main() {
    }

    private static void waitFor(Process command) {
        try {
            command.waitFor();
        } catch (InterruptedException e) {
            command.destroy();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<String> line = new ArrayList<>();

        try {
            line.add(Carried.command());
            line.addAll(Arrays.asList(arguments));
            Process command = new ProcessBuilder(line).inheritIO().start();

            // Ctrl-C is for both: what the command writes then is waited for.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> waitFor(command)));
            System.exit(command.waitFor());
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(FAILED);
        }
    }
}
