/** Compares stacks in lookup_agent.c, from some depth. */
public class AsgstLookup {
    static native String compare();

    static String down(int n) {
        return n == 0 ? compare() : down(n - 1);
    }

    public static void main(String[] args) {
        System.load(args[0]);
        String why = null;
        for (int i = 0; i < 3000 && why == null; i++)
            why = down(i % 20);
        System.out.println(why == null ? "ok stacks" : "not ok stacks: " + why);
    }
}
