/*
 * Hprof.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The profiler, as programs use it: recordings of this JVM are started and stopped from code.
 *
 * <pre>
 * Hprof.start("cpu=samples,file=x.jfr");
 * ...
 * Hprof.stop("");
 * </pre>
 */
public final class Hprof {
    private static final String OK = "hprof/1 ok ";
    private static final String ERROR = "hprof/1 error ";

    private Hprof() {
    }

    /** Whether there is an agent for this platform: the jar has one, {@code -Dhprof.library} names one, or it is in this JVM. */
    public static boolean isSupported() {
        return Bridge.bound || Carried.hasLibrary();
    }

    /** Whether the agent is in this JVM, so that contexts are recorded. Costs nothing. */
    public static boolean isLoaded() {
        return Bridge.bound;
    }

    /**
     * Load the agent into this JVM, if it is not there yet: nothing is measured before a recording
     * starts. Needs no -Djdk.attach.allowAttachSelf, for the library is loaded as one of natives:
     * JDK 24 and later want --enable-native-access=ALL-UNNAMED for that, or warn.
     *
     * @throws IOException the agent cannot be had: why
     */
    public static void load() throws IOException {
        if (!Bridge.bound && !Bridge.load(Carried.library()))
            throw new IOException("hprof: the JVM does not load " + Carried.library());
    }

    /**
     * Start a recording with these options of the agent, as in "cpu=samples,file=x.jfr".
     *
     * @return what the agent says of it: "start id=1 name=1 ... file=x.jfr"
     * @throws IOException it did not start: why
     */
    public static String start(String options) throws IOException {
        load();
        return command(options.isEmpty() ? "start" : "start," + options);
    }

    /**
     * Stop a recording and write its file. What is empty means the only one; else it says which, as
     * "id=1", "name=x" or "file=x.jfr".
     */
    public static String stop(String which) throws IOException {
        return command(with("stop", which));
    }

    /** Write what a recording has by now; it goes on. */
    public static String dump(String which) throws IOException {
        return command(with("dump", which));
    }

    /** What runs: "status version=0.1.0 state=running id=1 ...". Without the agent, its state is "idle". */
    public static String status() throws IOException {
        return Bridge.bound ? command("status") : "status state=idle";
    }

    /** The number of this process. */
    public static long pid() throws IOException {
        return Long.parseLong(Paths.get("/proc/self").toRealPath().getFileName().toString());
    }

    /** The file of the agent's library, which the jar carries: for -agentpath and the like. */
    public static String libraryPath() throws IOException {
        return Carried.library();
    }

    /** The file of the command hprof, which the jar carries. */
    public static String commandPath() throws IOException {
        return Carried.command();
    }

    /**
     * The file of a library that the program's own jar carries, as {@code "native/libagent.so"}: it is
     * unpacked into the same folder as the files of this jar.
     *
     * @param loader of the resource; null: the system's
     * @throws IOException there is no such resource, or no folder for it: why
     */
    public static String libraryPath(ClassLoader loader, String resource) throws IOException {
        return Carried.resource(loader, resource).toString();
    }

    /**
     * Load an agent that the program's own jar carries into this JVM, with these options ("" for none).
     * It needs no -Djdk.attach.allowAttachSelf, for a process of its own loads it.
     *
     * @throws IOException the agent cannot be had, or its Agent_OnAttach failed: why
     */
    public static void loadAgent(ClassLoader loader, String resource, String options) throws IOException, InterruptedException {
        String library = libraryPath(loader, resource), self = Long.toString(pid());
        HprofResult loaded = options.isEmpty() ? run("load", self, library) : run("load", self, library, options);

        if (loaded.status() != 0)
            throw new IOException(loaded.errors().trim());
    }

    /**
     * Run the command hprof, as in {@code run("threads", "" + pid())}, and wait for its end. It is a
     * process of its own, so this JVM may be its target: {@code run("load", "" + pid(),
     * "/lib/agent.so")} loads another agent here without -Djdk.attach.allowAttachSelf.
     */
    public static HprofResult run(String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        StringBuilder errors = new StringBuilder();
        IOException[] failed = {null};
        Process process;
        String output;

        line.add(Carried.command());
        line.addAll(Arrays.asList(arguments));
        process = start(line);
        process.getOutputStream().close();
        Thread reader = new Thread(() -> {
            try {
                errors.append(read(process.getErrorStream()));
            } catch (IOException e) {
                failed[0] = e;
            }
        }, "hprof errors");
        reader.setDaemon(true);
        reader.start();
        output = read(process.getInputStream());
        reader.join();
        if (failed[0] != null)
            throw failed[0];
        return new HprofResult(process.waitFor(), output, errors.toString());
    }

    /*
     * The JDK's thread that waits for processes takes the context class loader of who starts the first one, and
     * stays for a minute: an application that has been taken away would stay with it.
     */
    private static Process start(List<String> line) throws IOException {
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();

        self.setContextClassLoader(null);
        try {
            return new ProcessBuilder(line).start();
        } finally {
            self.setContextClassLoader(before);
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];

        for (int n; (n = in.read(piece)) > 0;)
            bytes.write(piece, 0, n);
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }

    private static String with(String word, String which) {
        return which == null || which.isEmpty() ? word : word + "," + which;
    }

    private static String command(String line) throws IOException {
        String answer;

        if (!Bridge.bound)
            throw new IOException("hprof: the agent is not in this JVM: nothing is recorded");
        answer = Bridge.command(line).trim();
        if (answer.startsWith(OK))
            return answer.substring(OK.length());
        throw new IOException("hprof: " + (answer.startsWith(ERROR) ? answer.substring(ERROR.length()) : answer));
    }
}
