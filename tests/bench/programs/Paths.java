// SPDX-License-Identifier: Apache-2.0

/** Paths: 131,072 stacks that differ, each with one array of a MB made on it: all are samples where one is taken each 512 KB. Prints its resident kB. */
public class Paths {
    static Object kept;

    static void a(int bits, int left) {
        go(bits, left);
    }

    static void b(int bits, int left) {
        go(bits, left);
    }

    static void go(int bits, int left) {
        if (left == 0)
            kept = new byte[1 << 20];
        else if ((bits >> (left - 1) & 1) == 0)
            a(bits, left - 1);
        else
            b(bits, left - 1);
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 1 << 17; i++)
            go(i, 17);
        System.gc();
        Thread.sleep(2000);
        for (String line : java.nio.file.Files.readAllLines(java.nio.file.Paths.get("/proc/self/status")))
            if (line.startsWith("VmRSS") || line.startsWith("VmHWM"))
                System.out.println(line.replaceAll("[^0-9]", ""));
    }
}
