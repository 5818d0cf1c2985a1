// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives its cells new boxes all the time, so that collections follow each other and objects are moved. Each cell's box has the
 * cell's number, whatever happens; at the end the program looks itself. Arguments: cells; a FILE that ends it.
 */
public class HeapChurn {
    static final class Box {
        final int number;
        final Cell of;
        final byte[] filler = new byte[ThreadLocalRandom.current().nextInt(200)];

        Box(int number, Cell of) {
            this.number = number;
            this.of = of;
            Arrays.fill(filler, (byte) number);
        }

        boolean isWhole(int cell) {
            for (byte b : filler) {
                if (b != (byte) cell)
                    return false;
            }
            return number == cell && of.number == cell;
        }
    }

    static final class Cell {
        final int number;
        volatile Box box;

        Cell(int number) {
            this.number = number;
            box = new Box(number, this);
        }
    }

    static Cell[] cells;
    static volatile boolean isDone;

    static void churn() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (long turn = 1; !isDone; turn++) {
            int i = random.nextInt(cells.length);
            cells[i].box = new Box(i, cells[i]);
            if (i % 16 == 0)
                cells[i] = new Cell(i);
            if (turn % 1000 == 0)
                LockSupport.parkNanos(1000000);
        }
    }

    public static void main(String[] args) throws Exception {
        cells = new Cell[Integer.parseInt(args[0])];
        for (int i = 0; i < cells.length; i++)
            cells[i] = new Cell(i);
        Thread[] threads = {new Thread(HeapChurn::churn), new Thread(HeapChurn::churn)};
        for (Thread thread : threads)
            thread.start();
        System.out.println("ready");
        for (int collections = 0; !new File(args[1]).exists(); collections++) {
            System.gc();
            System.out.println("collected " + collections);
            Thread.sleep(20);
        }
        isDone = true;
        for (Thread thread : threads)
            thread.join();
        for (int i = 0; i < cells.length; i++) {
            if (cells[i].number != i || !cells[i].box.isWhole(i))
                throw new AssertionError("cell " + i);
        }
        System.out.println("whole");
    }
}
