// `Exit spin` without the clock: runs until the file that it is told of exists.
public class Spin {
    public static void main(String[] a) {
        java.io.File stop = new java.io.File(a[0]);
        double sum = 0;
        System.out.println("spinning");
        System.out.flush();
        while (!stop.exists())
            for (int i = 0; i < 100; i++)
                sum += CpuHot.hot(10000);
        System.out.println("spun " + (sum > 0));
    }
}
