// SPDX-License-Identifier: Apache-2.0
import java.io.File;

/**
 * Writes all over its heap, page by page at random, until FILE is there. Arguments: megabytes; FILE; and how many small objects
 * it holds besides, if any.
 */
public class HeapScribble {
    static final int PAGE = 4096, MEGABYTE = 1 << 20;
    static int[][] heap;
    static Object[] small;

    public static void main(String[] args) throws Exception {
        heap = new int[Integer.parseInt(args[0])][MEGABYTE / 4];
        File stop = new File(args[1]);
        small = new Object[args.length > 2 ? Integer.parseInt(args[2]) : 0];
        for (int i = 0; i < small.length; i++)
            small[i] = new Object();
        long writes = 0, random = 1, sum = 0;
        int pages = heap.length * (MEGABYTE / PAGE);
        System.out.println("ready");
        for (int pass = 1; !stop.exists(); pass++) {
            for (int i = 0; i < 4 * pages; i++, writes++) {
                random = random * 6364136223846793005L + 1442695040888963407L;
                int page = (int) ((random >>> 33) % pages);
                heap[page / (MEGABYTE / PAGE)][page % (MEGABYTE / PAGE) * (PAGE / 4)]++;
            }
            System.out.println("pass " + pass);
        }
        for (int[] part : heap)
            for (int value : part)
                sum += value;
        System.out.println(sum == writes ? "every write is there" : sum + " of " + writes + " writes");
    }
}
