/* Commits events of all types of fields. SPDX-License-Identifier: Apache-2.0 */
import hprof.Hprof;
import hprof.HprofContext;
import hprof.HprofEvent;
import hprof.HprofEventType;
import hprof.HprofKey;
import java.util.concurrent.TimeUnit;

public class Events {
    static final HprofEventType ALL = HprofEventType.named("com.acme.All").label("All of them").description("An event with a field of each type")
        .category("Acme", "Test").field("flag", boolean.class, "Flag").field("count", int.class, "Count")
        .field("size", long.class, "Size", HprofEventType.Unit.BYTES).field("span", long.class, "Span", HprofEventType.Unit.NANOSECONDS)
        .field("share", double.class, "Share", HprofEventType.Unit.PERCENT).field("text", String.class, "Text")
        .field("other", Thread.class).field("type", Class.class).field("ratio", double.class)
        .field("when", long.class, "When", HprofEventType.Unit.EPOCH_MILLISECONDS).define();
    static final HprofEventType PLAIN = HprofEventType.named("Plain").stack(false).define();
    static final HprofEventType LONG = HprofEventType.named("com.acme.Long").threshold(20, TimeUnit.MILLISECONDS).field("asked", int.class).define();
    static final HprofKey USER = HprofKey.of("user");

    static void all(int i) {
        HprofEvent e = ALL.begin();

        e.set(0, i % 2 == 1).set(1, -i).set(2, 1L << 40 | i).set(3, 1500000L).set(4, 0.25).set(5, i % 3 == 0 ? null : "t\u00e4xt \ud83d\ude00 " + i);
        e.set(6, Thread.currentThread()).set(7, Events.class).set(8, -1.5).set(9, 1700000000000L).commit();
    }

    static void longer(int ms) throws InterruptedException {
        HprofEvent e = LONG.begin();

        Thread.sleep(ms);
        e.set(0, ms).commit();
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);

        System.out.println("loaded " + Hprof.isLoaded() + " enabled " + ALL.isEnabled() + " used " + ALL.isUsed());
        for (int i = 1; i <= count; i++)
            try (HprofContext c = USER.open(i % 2 == 0 ? "bob" : null)) {
                all(i);
            }
        for (int i = 0; i < count; i++)
            PLAIN.event().commit();
        for (int i = 0; i < 3; i++) {
            longer(1);
            longer(30);
        }
        System.out.println("done");
    }
}
