/** Keeps many small objects, and makes as many beside them that nobody keeps. Says when all are there. */
public class HeapKeep {
    static final class Node {
        final Node next;
        long number, a, b, c;

        Node(Node next, long number) {
            this.next = next;
            this.number = number;
        }
    }

    static Node[] kept;

    public static void main(String[] args) {
        kept = new Node[Integer.parseInt(args[0]) / 100];
        long sum = 0;
        for (int i = 0; i < kept.length; i++) {
            Node head = null;
            for (int k = 0; k < 100; k++) {
                head = new Node(head, i);
                sum += new Node(null, k).number;
            }
            kept[i] = head;
        }
        System.out.println("kept " + kept.length + " lists, sum " + sum);
    }
}
