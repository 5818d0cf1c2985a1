// Threads with long names that come and go, one after the other, for so many seconds; prints how many.
public class ThreadChurn {
    static volatile double sum;

    static long churn(double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9), count = 0;
        for (; System.nanoTime() < end; count++) {
            Thread t = new Thread(() -> {
                double s = 0;
                for (int i = 1; i < 2000; i++) s += Math.sqrt(i);
                sum = s;
            }, String.format("%02000d", count));
            t.start();
            t.join();
        }
        return count;
    }

    public static void main(String[] args) throws Exception {
        churn(1);
        System.out.println(churn(Double.parseDouble(args[0])));
        System.out.flush();
    }
}
