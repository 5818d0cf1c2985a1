import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** The same events as those of CommittedEvents, of the JDK's own recorder. */
public class RecorderEvents {
    @Name("bench.Short")
    @Threshold("1 s")
    static class Short extends Event {
        long first;
        int second;
    }

    @Name("bench.Numbers")
    @StackTrace(false)
    static class Numbers extends Event {
        long first;
        int second;
    }

    @Name("bench.Text")
    @StackTrace(false)
    static class Text extends Event {
        String text;
        long number;
    }

    @Name("bench.Stack")
    static class Stack extends Event {
        long first;
        int second;
    }

    static final int DEPTH = 30;

    static void shorts(int count) {
        for (int i = 0; i < count; i++) {
            Short e = new Short();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void numbers(int count) {
        for (int i = 0; i < count; i++) {
            Numbers e = new Numbers();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void text(int count) {
        for (int i = 0; i < count; i++) {
            Text e = new Text();

            e.begin();
            e.text = "select name from people";
            e.number = i;
            e.commit();
        }
    }

    static void stack(int count) {
        for (int i = 0; i < count; i++) {
            Stack e = new Stack();

            e.begin();
            e.first = i;
            e.second = i;
            e.commit();
        }
    }

    static void deep(int depth, int count) {
        if (depth > 0)
            deep(depth - 1, count);
        else
            stack(count);
    }

    public static void main(String[] args) {
        EventRounds.measure("short", 100_000, RecorderEvents::shorts);
        EventRounds.measure("numbers", 2_000, RecorderEvents::numbers);
        EventRounds.measure("text", 2_000, RecorderEvents::text);
        EventRounds.measure("stack", 2_000, n -> deep(DEPTH, n));
    }
}
