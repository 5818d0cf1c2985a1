/*
 * Carried.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** The files that jars carry, in a folder of the user's (OwnFolder): the agent's library and the command, and libraries of the program. */
final class Carried {
    private static final String LIBRARY = "libhprof.so";
    private static final String COMMAND = "hprof";
    private static Path library, command;

    private Carried() {
    }

    /** Whether this jar has the agent for this system, or -Dhprof.library names one. */
    static boolean hasLibrary() {
        return "Linux".equals(System.getProperty("os.name"))
            && (System.getProperty("hprof.library") != null || Carried.class.getResource(place(LIBRARY)) != null);
    }

    /** The path of the agent's library: -Dhprof.library, or where it was extracted to. */
    static synchronized String library() throws IOException {
        String given = System.getProperty("hprof.library");

        if (given != null)
            return given;
        if (library == null)
            library = extract(LIBRARY, "library");
        return library.toString();
    }

    /** The path of the command: -Dhprof.command, or where it was extracted to. */
    static synchronized String command() throws IOException {
        String given = System.getProperty("hprof.command");

        if (given != null)
            return given;
        if (command == null)
            command = extract(COMMAND, "command");
        return command.toString();
    }

    /** A resource of the program's, as a file of its last name; its folders are named as in a jar, with '/'. */
    static Path resource(ClassLoader loader, String name) throws IOException {
        try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(name) : loader.getResourceAsStream(name)) {
            if (in == null)
                throw new IOException("hprof: there is no resource " + name);
            return OwnFolder.put(name.substring(name.lastIndexOf('/') + 1), read(in), "");
        }
    }

    private static Path extract(String name, String property) throws IOException {
        try (InputStream in = Carried.class.getResourceAsStream(place(name))) {
            if (in == null)
                throw new IOException("hprof: this jar has no " + name + " for " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch"));
            return OwnFolder.put(name, read(in), ", or the file itself with -Dhprof." + property + "=FILE");
        }
    }

    private static String place(String name) {
        return "native/" + System.getProperty("os.arch") + "/" + name;
    }

    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] piece = new byte[1 << 16];

        for (int n; (n = in.read(piece)) > 0;)
            out.write(piece, 0, n);
        return out.toByteArray();
    }
}
