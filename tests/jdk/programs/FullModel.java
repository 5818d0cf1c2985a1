import java.io.File;
import java.util.Random;

/** Allocates on so many stacks that a small model has no room for another, and then starts threads with names that it has not seen. */
public class FullModel {
    static volatile Object sink;

    static int left(int depth, Random random) {
        if (depth == 0) {
            sink = new byte[100];
            return 1;
        }
        return random.nextBoolean() ? left(depth - 1, random) + 1 : right(depth - 1, random);
    }

    static int right(int depth, Random random) {
        if (depth == 0) {
            sink = new byte[100];
            return 2;
        }
        return random.nextBoolean() ? left(depth - 1, random) + 1 : right(depth - 1, random);
    }

    static class Late extends RuntimeException {
    }

    static void work() {
        try {
            if (sink != null)
                throw new Late();
        } catch (Late e) {
            sink = e;
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(1);

        for (int i = 0; i < 150000; i++)
            left(30, random);
        for (int i = 0; i < 5; i++) {
            Thread thread = new Thread(FullModel::work, "late-" + i);

            thread.start();
            thread.join();
        }
        System.out.println("ends");
        while (args.length > 0 && !new File(args[0]).exists()) // hardly anything is allocated any more
            Thread.sleep(50);
    }
}
