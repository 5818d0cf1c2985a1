/**
 * Methods that the VM compiles, and one whose compiled code meets what it was not made for. Says when it is ready; goes on
 * when the file "go" is there, if the argument is "waits".
 */
import java.io.File;

public class Compiles {
    interface Shape {
        int edges(int i);
    }

    static final class Square implements Shape {
        public int edges(int i) {
            return 4 + (i & 1);
        }
    }

    static final class Triangle implements Shape {
        public int edges(int i) {
            return 3 + (i & 1);
        }
    }

    static long sink;

    static int edgesOf(Shape s, int i) {
        return s.edges(i);
    }

    /** The branch is not taken until `odd`; the compiler leaves it out. */
    static int branch(int i, boolean odd) {
        if (odd)
            return i * 31 + 7;
        return i + 1;
    }

    static void loop(Shape s, boolean odd, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++)
            sum += edgesOf(s, i) + branch(i, odd);
        sink += sum;
    }

    static void warm(Shape s, boolean odd) {
        for (int i = 0; i < 2000; i++)
            loop(s, odd, 200);
    }

    public static void main(String[] args) throws Exception {
        Shape square = new Square();
        for (int i = 0; i < 5; i++)
            warm(square, false);
        Thread.sleep(300);
        System.out.println("warm");
        System.out.flush();
        if (args.length > 0 && args[0].equals("waits"))
            while (!new File("go").exists())
                Thread.sleep(20);
        Shape triangle = new Triangle();
        for (int i = 0; i < 5; i++) {
            warm(i % 2 == 0 ? triangle : square, true);
            Thread.sleep(100);
        }
        System.out.println("done " + sink);
    }
}
