/** Makes objects of value classes, and of others, until the time is over, and sleeps for a second time in ms. The array's elements are no flat ones: a point has two longs. */
public class Values {
    value record Point(long x, long y) {}

    static class Node {
        final long x, y;

        Node(long x, long y) {
            this.x = x;
            this.y = y;
        }
    }

    static Object[] points = new Object[1000], nodes = new Object[1000];

    static void makesPoints() {
        for (int i = 0; i < points.length; i++)
            points[i] = new Point(i, -i);
    }

    static void makesNodes() {
        for (int i = 0; i < nodes.length; i++)
            nodes[i] = new Node(i, -i);
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000L;
        while (System.nanoTime() < end) {
            makesPoints();
            makesNodes();
        }
        System.out.println("done " + points[7]);
        if (args.length > 1)
            Thread.sleep(Long.parseLong(args[1]));
    }
}
