/*
 * Carried.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The files that the jar carries, in a folder of the user's: the agent's library and the command.
 *
 * The folder is the first of several that is the user's own, closed to others (0700), no symbolic
 * link, and from which programs run. A file has the hash of its bytes in its name, is written beside
 * its place and moved there whole; one that is there is compared with what the jar has.
 */
final class Carried {
    private static final String LIBRARY = "libhprof.so";
    private static final String COMMAND = "hprof";
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    private static Path library, command;

    private Carried() {
    }

    /** The path of the agent's library: -Dhprof.library, or where it was extracted to. */
    static synchronized String library() throws IOException {
        String given = System.getProperty("hprof.library");

        if (given != null)
            return given;
        if (library == null)
            library = extract(LIBRARY);
        return library.toString();
    }

    /** The path of the command: -Dhprof.command, or where it was extracted to. */
    static synchronized String command() throws IOException {
        String given = System.getProperty("hprof.command");

        if (given != null)
            return given;
        if (command == null)
            command = extract(COMMAND);
        return command.toString();
    }

    private static Path extract(String name) throws IOException {
        byte[] bytes = resource(name);
        String file = hash(bytes) + "-" + name;
        List<String> refused = new ArrayList<>();

        for (Path folder : folders()) {
            try {
                check(folder);
                return put(folder, file, bytes);
            } catch (IOException | SecurityException e) {
                refused.add(e instanceof Refused ? e.getMessage() : folder + ": " + e);
            }
        }
        throw new IOException("hprof: no folder for " + name + ": " + String.join("; ", refused)
            + ": name one with -Dhprof.folder=DIR, or the file itself with -Dhprof."
            + (name.equals(COMMAND) ? "command" : "library") + "=FILE");
    }

    private static byte[] resource(String name) throws IOException {
        String place = "native/" + System.getProperty("os.arch") + "/" + name;

        try (InputStream in = Carried.class.getResourceAsStream(place)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] piece = new byte[1 << 16];

            if (in == null)
                throw new IOException("hprof: this jar has no " + name + " for " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch"));
            for (int n; (n = in.read(piece)) > 0;)
                out.write(piece, 0, n);
            return out.toByteArray();
        }
    }

    private static String hash(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            StringBuilder text = new StringBuilder();

            for (int i = 0; i < 8; i++)
                text.append(String.format("%02x", digest[i]));
            return text.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        }
    }

    private static List<Path> folders() {
        List<Path> all = new ArrayList<>();
        String given = System.getProperty("hprof.folder"), cache = System.getenv("XDG_CACHE_HOME"),
               home = System.getProperty("user.home"), temporary = System.getProperty("java.io.tmpdir");

        if (given != null) {
            all.add(Paths.get(given));
            return all;
        }
        if (cache != null && cache.startsWith("/"))
            all.add(Paths.get(cache, "hprof", "jar"));
        if (home != null && home.startsWith("/"))
            all.add(Paths.get(home, ".cache", "hprof", "jar"));
        all.add(Paths.get(temporary == null ? "/tmp" : temporary, "hprof-jar-" + System.getProperty("user.name")));
        all.add(Paths.get("/dev/shm", "hprof-jar-" + System.getProperty("user.name")));
        return all;
    }

    /** Why a folder is not used: said to whoever finds none. */
    private static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        Refused(Path path, String why) {
            super(path + " " + why);
        }
    }

    /** Make the folder, or see that nobody else may put something in it. */
    private static void check(Path folder) throws IOException {
        PosixFileAttributes a;

        Files.createDirectories(folder.toAbsolutePath().getParent());
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWN));
        } catch (FileAlreadyExistsException e) {
            // Looked at below, whoever has made it.
        }
        a = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (a.isSymbolicLink())
            throw new Refused(folder, "is a symbolic link");
        if (!a.isDirectory())
            throw new Refused(folder, "is no folder");
        if (!a.owner().equals(self()))
            throw new Refused(folder, "belongs to " + a.owner().getName());
        if (!OWN.containsAll(a.permissions()))
            throw new Refused(folder, "is open to others (" + PosixFilePermissions.toString(a.permissions())
                + "; chmod 700 helps)");
        if (isNoexec(folder))
            throw new Refused(folder, "is on a file system without programs (noexec)");
    }

    private static Object self() throws IOException {
        return Files.getOwner(Paths.get("/proc/self"));
    }

    /** The options of the mount that the folder is on: that with the longest place in front of it. */
    private static boolean isNoexec(Path folder) throws IOException {
        String best = "", path = folder.toRealPath().toString();
        boolean noexec = false;

        for (String line : Files.readAllLines(Paths.get("/proc/self/mounts"))) {
            String[] words = line.split(" ");

            if (words.length < 4)
                continue;
            String at = words[1].replace("\\040", " ");

            if (at.length() >= best.length() && (path.equals(at) || path.startsWith(at.endsWith("/") ? at : at + "/"))) {
                best = at;
                noexec = Arrays.asList(words[3].split(",")).contains("noexec");
            }
        }
        return noexec;
    }

    private static Path put(Path folder, String name, byte[] bytes) throws IOException {
        Path place = folder.resolve(name), beside;

        if (isThere(place, bytes))
            return place;
        beside = Files.createTempFile(folder, ".", null, PosixFilePermissions.asFileAttribute(OWN));
        try {
            Files.write(beside, bytes, StandardOpenOption.TRUNCATE_EXISTING);
            Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new Refused(folder, "cannot move a file within itself");
        } finally {
            Files.deleteIfExists(beside);
        }
        return place;
    }

    private static boolean isThere(Path place, byte[] bytes) throws IOException {
        try {
            PosixFileAttributes a =
                Files.readAttributes(place, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);

            return a.isRegularFile() && a.size() == bytes.length && a.owner().equals(self())
                && EnumSet.copyOf(a.permissions()).equals(OWN) && Arrays.equals(Files.readAllBytes(place), bytes);
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
