/*
 * Outer.java - a second tracker of Shapes, whose probes lie around those of Probe: the stack is Probe's.
 *
 * It is told of a call before Probe, and of its end behind it.
 * SPDX-License-Identifier: Apache-2.0
 */
public class Outer {
    static int calls;

    static void enter(int number) {
        calls++;
        Probe.Stack s = Probe.outer.get();
        if (s.depth != Probe.stacks.get().depth && !Probe.lenient) {
            Probe.fail("entered behind the inner probe: " + Probe.shadow(s));
        }
        Probe.enter(s, number);
    }

    static void exit(int number) {
        Probe.Stack s = Probe.outer.get();
        Probe.exit(s, number);
        if (s.depth < Probe.stacks.get().depth && !Probe.lenient) {
            Probe.fail("left before the inner probe: " + Probe.shadow(s));
        }
    }

    static long enterKeep(int number) {
        enter(number);
        return Probe.outer.get().depth;
    }

    static void exitKeep(long depth) {
        Probe.exitKeep(Probe.outer.get(), depth);
    }

    static void caught(long depth) {
        Probe.caught(Probe.outer.get(), depth);
    }

    static int enterKeepInt(int number) {
        return (int) enterKeep(number);
    }

    static void exitKeep(int depth) {
        exitKeep((long) depth);
    }

    static void caught(int depth) {
        caught((long) depth);
    }
}
