// SPDX-License-Identifier: Apache-2.0
import java.io.File;

/** A cell that is 111 until FILE is there, then 222; meanwhile processes are started and waited for. Arguments: FILE. */
public class HeapFreeze {
    static final class Cell {
        int value = 111;
        int[] array = {111};
    }

    static Cell[] cells = new Cell[1000];

    public static void main(String[] args) throws Exception {
        File file = new File(args[0]);
        for (int i = 0; i < cells.length; i++)
            cells[i] = new Cell();
        System.out.println("ready");
        while (!file.exists())
            Thread.sleep(1);
        for (Cell cell : cells)
            cell.value = cell.array[0] = 222;
        System.out.println("changed");
        for (int i = 0; i < 20; i++) {
            int status = new ProcessBuilder("sh", "-c", "exit " + i).start().waitFor();
            if (status != i)
                System.out.println("status " + status + ", not " + i);
        }
        System.gc();
        System.out.println("value " + cells[7].value);
    }
}
