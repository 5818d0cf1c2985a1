// SPDX-License-Identifier: Apache-2.0
// Dies.java - a JVM that is gone without a word, as one that crashed is.
public class Dies {
    public static void main(String[] args) throws Exception {
        new ProcessBuilder("/bin/sh", "-c", "kill -KILL $PPID").start().waitFor();
        Thread.sleep(60000); // the signal is on its way
    }
}
