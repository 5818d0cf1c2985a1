/** A thread whose name holds ESC, CSI and a mark that turns the line around; works until the file "stop". */
// SPDX-License-Identifier: Apache-2.0
public class OddNames {
    static long sum;

    static void turn() {
        for (int i = 0; i < 1000000; i++)
            sum += i % 7 * (long) Math.sqrt(i);
    }

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(() -> {
            while (!new java.io.File("stop").exists())
                turn();
        }, "odd\u001b[2J\u009b31m\u202e\u0007 \u20ac");
        worker.start();
        System.out.println("running");
        worker.join();
    }
}
