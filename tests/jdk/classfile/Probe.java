/*
 * Probe.java - the tracker of Shapes: a shadow stack per thread, compared with the VM's own.
 *
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

    static final ThreadLocal<Stack> stacks = new ThreadLocal<Stack>() {
        protected Stack initialValue() {
            return new Stack();
        }
    };
    static boolean lenient; // while the stack overflows, a probe may run half
    static int checks, calls;

    /** "Class.method" of the method with that number; by the agent. */
    static native String name(int number);

    static void enter(int number) {
        Stack s = stacks.get();
        s.numbers[s.depth++] = number;
        calls++;
    }

    static void exit(int number) {
        Stack s = stacks.get();
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
        Stack s = stacks.get();
        if (s.depth != depth && !lenient) {
            fail("exit at depth " + depth + " with " + shadow(s));
        }
        s.depth = (int) depth - 1;
    }

    static void caught(long depth) {
        Stack s = stacks.get();
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
        List<String> shadow = shadow(stacks.get());
        if (!real.equals(shadow)) {
            fail("shadow " + shadow + "\nreal " + real);
        }
        checks++;
    }

    /** Runs a shape; whatever leaves it, the methods of Shapes are all left afterwards. */
    static void run(String name, Runnable shape) {
        Stack s = stacks.get();
        int depth = s.depth;
        int before = checks + calls;
        try {
            shape.run();
            if (s.depth != depth && !lenient) {
                fail(name + " leaves " + shadow(s));
            }
        } catch (Throwable t) {
            if (!(t instanceof IllegalStateException)) {
                t.printStackTrace(System.out);
                fail(name + ": " + t);
            }
            s.depth = depth; // an exception that nothing injected has caught
        }
        if (checks + calls == before) {
            fail(name + " ran without a probe");
        }
    }
}
