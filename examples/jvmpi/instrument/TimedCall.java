/*
 * One call of a method that TimingWeaver has wrapped: prints class, method, arguments and time when it ends.
 *
 * Of an argument that is no text and no number only the class is printed: its toString() may do anything.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.lang.reflect.Array;
import java.util.Locale;

public final class TimedCall {
    private static final int TEXT_MAX = 200;

    private final String call;
    private final long began;

    private TimedCall(String call) {
        this.call = call;
        this.began = System.nanoTime();
    }

    /** Takes the arguments as they are now, before the method may change them. */
    public static TimedCall begin(String owner, String method, Object[] arguments) {
        StringBuilder text = new StringBuilder(owner).append('.').append(method).append('(');
        for (int i = 0; i < arguments.length; i++)
            text.append(i > 0 ? ", " : "").append(shown(arguments[i]));
        return new TimedCall(text.append(')').toString());
    }

    public void end() {
        say("");
    }

    public void fail(Throwable thrown) {
        say(", failed: " + thrown.getClass().getName());
    }

    private void say(String end) {
        System.err.println(String.format(Locale.ROOT, "timed: %s: %.3f ms%s", call, (System.nanoTime() - began) / 1e6, end));
    }

    private static String shown(Object argument) {
        if (argument instanceof String)
            return quoted((String) argument);
        if (argument == null || argument instanceof Boolean || argument instanceof Character || isNumber(argument))
            return String.valueOf(argument);
        Class<?> type = argument.getClass();
        return type.isArray() ? type.getComponentType().getName() + "[" + Array.getLength(argument) + "]" : type.getName();
    }

    private static boolean isNumber(Object argument) {
        return argument instanceof Number && argument.getClass().getName().startsWith("java.lang.");
    }

    private static String quoted(String text) {
        String cut = text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "..." : text;
        return '"' + cut.replace("\n", "\\n").replace("\r", "\\r") + '"';
    }
}
