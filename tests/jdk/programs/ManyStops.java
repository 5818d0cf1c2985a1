// Asks for so many safepoints, hundreds in a second, for two seconds at least.
public class ManyStops {
    public static void main(String[] a) throws Exception {
        long begin = System.nanoTime();
        for (int i = 0; i < Integer.parseInt(a[0]) || System.nanoTime() - begin < 2000000000L; i++)
            Thread.getAllStackTraces();
        System.out.println("done");
    }
}
