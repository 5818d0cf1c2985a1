/*
 * Probe.java - the tracker of Shapes: a shadow stack per thread, compared with the VM's own.
 *
 * A second tracker, Outer, has a stack of its own, which is compared with the same.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Probe {
    static final class Stack {
        int[] numbers = new int[1 << 20];
        int depth;
    }

    static final class Stacks extends ThreadLocal<Stack> {
        protected Stack initialValue() {
            return new Stack();
        }
    }

    static final Stacks stacks = new Stacks(), outer = new Stacks();
    static boolean lenient; // while the stack overflows, a probe may run half
    static int checks, calls;

    /** "Class.method" of the method with that number; by the agent. */
    static native String name(int number);

    static void enter(int number) {
        enter(stacks.get(), number);
    }

    static void enter(Stack s, int number) {
        s.numbers[s.depth++] = number;
        calls++;
    }

    static void exit(int number) {
        exit(stacks.get(), number);
    }

    static void exit(Stack s, int number) {
        if (s.depth > 0 && s.numbers[s.depth - 1] == number) {
            s.depth--;
        } else if (!lenient) {
            fail("exit of " + name(number) + " with " + shadow(s));
        }
    }

    static long enterKeep(int number) {
        enter(number);
        return stacks.get().depth;
    }

    static void exitKeep(long depth) {
        exitKeep(stacks.get(), depth);
    }

    static void exitKeep(Stack s, long depth) {
        if (s.depth != depth && !lenient) {
            fail("exit at depth " + depth + " with " + shadow(s));
        }
        s.depth = (int) depth - 1;
    }

    static void caught(long depth) {
        caught(stacks.get(), depth);
    }

    static void caught(Stack s, long depth) {
        if (s.depth < depth && !lenient) {
            fail("caught at depth " + depth + " with " + shadow(s));
        }
        s.depth = (int) depth;
    }

    // The same, for probes that keep an int.
    static int enterKeepInt(int number) {
        return (int) enterKeep(number);
    }

    static void exitKeep(int depth) {
        exitKeep((long) depth);
    }

    static void caught(int depth) {
        caught((long) depth);
    }

    static List<String> shadow(Stack s) {
        List<String> names = new ArrayList<String>();
        for (int i = 0; i < s.depth; i++) {
            names.add(name(s.numbers[i]));
        }
        return names;
    }

    static void fail(String what) {
        System.out.println("FAILED: " + what);
        new Throwable().printStackTrace(System.out);
        System.exit(1);
    }

    /** The shadow stack is exactly what the VM says, as far as the methods of Shapes go. */
    static void check() {
        List<String> real = new ArrayList<String>();
        for (StackTraceElement e : new Throwable().getStackTrace()) {
            if (e.getClassName().startsWith("Shapes") || e.getClassName().startsWith("Big")) {
                real.add(e.getClassName() + "." + e.getMethodName());
            }
        }
        Collections.reverse(real);
        compare(real, stacks.get());
        if (Outer.calls > 0) {
            compare(real, outer.get());
        }
        checks++;
    }

    static void compare(List<String> real, Stack s) {
        List<String> shadow = shadow(s);
        if (!real.equals(shadow)) {
            fail("shadow " + shadow + "\nreal " + real);
        }
    }

    /** Runs a shape; whatever leaves it, the methods of Shapes are all left afterwards. */
    static void run(String name, Runnable shape) {
        Stack s = stacks.get();
        int depth = s.depth;
        int outerDepth = outer.get().depth;
        int before = checks + calls;
        try {
            shape.run();
            if ((s.depth != depth || outer.get().depth != outerDepth) && !lenient) {
                fail(name + " leaves " + shadow(s) + " and " + shadow(outer.get()));
            }
        } catch (Throwable t) {
            if (!(t instanceof IllegalStateException)) {
                t.printStackTrace(System.out);
                fail(name + ": " + t);
            }
            s.depth = depth; // an exception that nothing injected has caught
            outer.get().depth = outerDepth;
        }
        if (checks + calls == before) {
            fail(name + " ran without a probe");
        }
    }
}
