// The work of CpuHot, a number of rounds of it instead of a time: as much CPU time on a busy machine as on an idle one.
public class CpuWork {
    public static void main(String[] a) {
        for (int rounds = Integer.parseInt(a[0]); rounds > 0; rounds--) {
            CpuHot.sink += CpuHot.hot(200000);
            CpuHot.sink += CpuHot.warm(50000);
            CpuHot.sink += CpuHot.fib(20);
        }
        System.out.println("done");
    }
}
