import hprof.HprofEvent;
import hprof.HprofEventType;
import java.util.concurrent.TimeUnit;

/** ns of an event, begun and committed, in rounds; the first ones warm the compilers up. */
public class CommittedEvents {
    static final HprofEventType SHORT = type("Short").threshold(1, TimeUnit.SECONDS).define();
    static final HprofEventType NUMBERS = type("Numbers").stack(false).define();
    static final HprofEventType TEXT = HprofEventType.named("bench.Text").stack(false).field("text", String.class).field("number", long.class).define();
    static final HprofEventType STACK = type("Stack").define();
    static final int DEPTH = 30;

    static HprofEventType.Definition type(String name) {
        return HprofEventType.named("bench." + name).field("first", long.class).field("second", int.class);
    }

    static void numbers(HprofEventType type, int count) {
        for (int i = 0; i < count; i++) {
            HprofEvent e = type.begin();

            e.set(0, (long) i).set(1, i).commit();
        }
    }

    static void text(int count) {
        for (int i = 0; i < count; i++) {
            HprofEvent e = TEXT.begin();

            e.set(0, "select name from people").set(1, (long) i).commit();
        }
    }

    static void deep(int depth, int count) {
        if (depth > 0)
            deep(depth - 1, count);
        else
            numbers(STACK, count);
    }

    public static void main(String[] args) {
        int count = STACK.isEnabled() ? 2_000 : 100_000;

        EventRounds.measure("short", 100_000, n -> numbers(SHORT, n));
        EventRounds.measure("numbers", count, n -> numbers(NUMBERS, n));
        EventRounds.measure("text", count, CommittedEvents::text);
        EventRounds.measure("stack", count, n -> deep(DEPTH, n));
    }
}
