/* Defines more types than there is room for, some of them twice; and what is refused. SPDX-License-Identifier: Apache-2.0 */
import hprof.HprofEventType;
import hprof.HprofEventType.Definition;
import java.util.function.Supplier;

public class Types {
    static Definition named(int i) {
        return HprofEventType.named("types.T" + i).description("Type " + i).field("value", int.class, "Value of " + i);
    }

    static void refuse(Supplier<Object> what) {
        try {
            System.out.println("taken " + what.get());
        } catch (IllegalArgumentException e) {
            System.out.println("refused " + e.getMessage());
        }
    }

    public static void main(String[] arguments) {
        int used = 0;

        for (int i = 0; i < HprofEventType.TYPES + 6; i++) {
            HprofEventType first = named(i).define(), again = named(i).define();

            used += first.isUsed() ? 1 : 0;
            first.event().set(0, i).commit();
            again.event().set(0, 1000 + i).commit();
        }
        System.out.println("used " + used);
        refuse(() -> HprofEventType.named("jdk.Mine"));
        refuse(() -> HprofEventType.named("a..B"));
        refuse(() -> HprofEventType.named("a.B").field("x", float.class));
        refuse(() -> HprofEventType.named("a.B").field("x", int.class).field("x", int.class));
        refuse(() -> HprofEventType.named("a.B").field("duration", long.class));
        refuse(() -> HprofEventType.named("a.B").field("x", String.class, "", HprofEventType.Unit.BYTES));
        refuse(() -> HprofEventType.named("a.B").category("a", ""));
        refuse(() -> named(0).define().event().set(0, 1.5));
    }
}
