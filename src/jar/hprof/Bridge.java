/*
 * Bridge.java - the natives of the agent. SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.UUID;

/**
 * What the agent binds, when it is in this JVM: at once where the JVM has loaded it, or later, when
 * it comes. No native may be called while {@code bound} is false.
 */
final class Bridge {
    /** Written here and by the agent. A plain field: a scope that misses the change is no loss. */
    static boolean bound;

    static {
        bound = tryBind() || (tryLoad(loadedLibrary()) && tryBind());
    }

    private Bridge() {
    }

    /** Whether the agent is there, after loading its library from this file. */
    static synchronized boolean load(String path) {
        if (!bound)
            bound = tryLoad(path) && tryBind();
        return bound;
    }

    private static boolean tryBind() {
        try {
            return bind();
        } catch (LinkageError e) {
            return false;
        }
    }

    private static boolean tryLoad(String path) {
        return path != null && (load(path, false) || load(path, true));
    }

    /**
     * A JVM loads a library for one class loader only, by its path: that of another web application may
     * have it. Under a second name it is the same file, and so, for the system, the same library.
     */
    private static boolean load(String path, boolean isOfAnother) {
        Path link = null;

        try {
            if (isOfAnother)
                link = Files.createLink(Paths.get(path + "." + UUID.randomUUID() + ".so"), Paths.get(path));
            System.load(isOfAnother ? link.toString() : path);
            return true;
        } catch (LinkageError | SecurityException | IOException | UnsupportedOperationException e) {
            return false;
        } finally {
            if (link != null)
                link.toFile().delete();
        }
    }

    /**
     * The agent's library, where it is in the process: one that was attached is not among those in
     * which JDK 8 to 20 look for natives.
     */
    static String loadedLibrary() {
        try (BufferedReader maps = new BufferedReader(new InputStreamReader(
                 new FileInputStream("/proc/self/maps"), StandardCharsets.UTF_8))) {
            for (String line; (line = maps.readLine()) != null;) {
                int path = line.indexOf('/');

                // As an installation has it, as hprof record places it, and as the jar does.
                if (path > 0 && line.indexOf("libhprof", line.lastIndexOf('/')) > 0 && line.endsWith(".so"))
                    return line.substring(path);
            }
        } catch (IOException | SecurityException e) {
            return null;
        }
        return null;
    }

    /** Found by its name; binds the others. */
    private static native boolean bind();

    /** The words of this thread's cell; null: it can have none by now. */
    static native ByteBuffer cell();

    /** The word that changes when values are forgotten, or a publication begins or ends. */
    static native ByteBuffer epoch();

    /** The words of a publication: Record.java. */
    static native ByteBuffer publication();

    /** The record for the cell that this thread has, empty if it is new; null: there is none. */
    static native ByteBuffer record();

    /** The text of a value; null: it was forgotten. */
    static native String text(int value);

    /** Whether the number still stands for a value. */
    static native boolean knows(int value);

    /** The number of a key; -1: there are too many. */
    static native int key(String name, String about);

    /** A number for a value. */
    static native int value(String text);

    /**
     * The number of a type of events, made if there is none: name, label, description, category, name
     * and label of each field; what each field is, and its unit. -1: there is no room.
     */
    static native int define(String[] texts, int[] numbers, long thresholdNs, boolean hasStack);

    /** A word for each type of events: whether any is wanted. */
    static native ByteBuffer words();

    /** An event has ended. Its caller and this method are left out of the stack. */
    static native void commit(int type, long startNs, long endNs, long[] numbers, Object[] objects);

    /** What a second load of the agent with this line does; its answer. */
    static native String command(String line);
}
