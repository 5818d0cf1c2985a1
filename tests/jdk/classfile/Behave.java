/*
 * Behave.java - runs the shapes named in its arguments, on two threads; not injected itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
public class Behave {
    public static void main(final String[] args) throws Exception {
        Thread[] threads = new Thread[2];
        final Throwable[] failed = new Throwable[1];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(null, new Runnable() {
                public void run() {
                    try {
                        for (String name : args) {
                            Probe.run(name, (Runnable) Class.forName(name).getDeclaredConstructor().newInstance());
                        }
                    } catch (Throwable e) {
                        failed[0] = e;
                    }
                }
            }, "behave", 512 * 1024);
            threads[t].start();
            threads[t].join(); // one after the other: Probe.lenient is for all
        }
        if (failed[0] != null) {
            throw new Exception(failed[0]);
        }
        System.out.println("balanced: " + Probe.checks + " checks, " + Probe.calls + " calls");
    }
}
