// SPDX-License-Identifier: Apache-2.0
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Redefines Fresh again and again, each time on another line; who runs a version then goes on to run it. */
public class Redefine {
    static final int FIRST_LINE = 0x1234; // of Fresh, as compiled
    static Instrumentation tools;

    public static void premain(String options, Instrumentation given) { tools = given; }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        Class<?> fresh = Class.forName("Fresh"); // made by test_names.py, all on one line
        Consumer<CountDownLatch> work = (Consumer<CountDownLatch>) fresh.getDeclaredConstructor().newInstance();
        byte[] pattern = Spell.file("Fresh");
        Thread before = new Thread();
        before.start();
        for (int i = 0; i < count; i++) {
            int n = i % 1024, line = FIRST_LINE + n;
            byte[] bytes = Spell.patched(pattern, new byte[] {FIRST_LINE >> 8, (byte) FIRST_LINE},
                new byte[] {(byte) (line >> 8), (byte) line});
            tools.redefineClasses(new ClassDefinition(fresh, bytes));
            before.join(); // the one of the version before has run on in its own
            CountDownLatch runs = new CountDownLatch(1);
            before = new Thread(() -> Spell.number(n, 10, () -> work.accept(runs)));
            before.start();
            runs.await();
            if (i % 8 == 0) System.gc();
        }
        before.join();
        System.out.println("redefined " + count);
    }
}
