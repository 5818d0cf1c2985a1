import java.io.File;
import java.util.ArrayList;
import java.util.List;

// A bit of everything in rounds, until the file "stop" is there or the rounds are over. What it did is what it prints.
public class CombiWork {
    static class Thing {
        final Object[] more = new Object[4];
    }

    static final List<Thing> kept = new ArrayList<Thing>();
    static volatile Thing last;
    static double sink;
    static int things, contended, parked;

    // So long at least, and some milliseconds of CPU time on a machine that is busy with something else, too.
    static void burn(int ms) {
        long end = System.nanoTime() + ms * 1000000L;
        for (int done = 0; done < 5000 || System.nanoTime() < end; done++)
            for (int i = 0; i < 1000; i++)
                sink += Math.sqrt(i);
    }

    static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Thing thing = new Thing();
            last = thing; // it escapes, so no compiler does without it
            if (i % 10 == 0 && kept.size() < 1000)
                kept.add(thing);
        }
        things += count;
    }

    static void round() throws Exception {
        Thread burner = MonWork.start(false, "burner", () -> burn(40));
        MonWork.contend(false, 3, 5);
        contended += 3;
        MonWork.parks(false, 2, true, 5);
        parked += 2;
        allocate(500);
        burner.join();
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        for (int i = 0; i < rounds && !new File("stop").exists(); i++) {
            round();
            System.out.println("round");
        }
        System.out.println("things " + things + "\ncontended " + contended + "\nparked " + parked + "\ndone");
    }
}
