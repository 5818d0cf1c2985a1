import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/** A handler for SIGPROF in Java; raises it `args[0]` times, one after the other is seen. */
public class Prof {
    public static void main(String[] args) throws Exception {
        final AtomicInteger seen = new AtomicInteger();
        Signal.handle(new Signal("PROF"), signal -> seen.incrementAndGet());
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++) {
            int before = seen.get();
            Signal.raise(new Signal("PROF"));
            long end = System.nanoTime() + 60_000_000_000L;
            while (seen.get() == before && System.nanoTime() < end)
                Robust.sink += Robust.round();
        }
        System.out.println("seen " + (seen.get() >= n));
    }
}
