/*
 * OwnFolder.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
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
 * The folder in which programs and libraries lie that are going to run.
 *
 * It is the first of several that is the user's own, closed to others (0700), no symbolic link, and
 * from which programs run. Whoever may write one of the folders above could put another one in its
 * place: each of them belongs to the user or to root, and nobody else may write it, or it is sticky.
 * The folder is used by its real path. A file has the hash of its bytes in its name, is written beside
 * its place and moved there whole; one that is there is compared.
 */
final class OwnFolder {
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> AS_OWN = PosixFilePermissions.asFileAttribute(OWN);
    private static final int OTHERS_WRITE = 0022, STICKY = 01000;

    private OwnFolder() {
    }

    /** The path of a file with these bytes; `other` is what else a user can do who has no folder for it. */
    static Path put(String name, byte[] bytes, String other) throws IOException {
        String file = hash(bytes) + "-" + name;
        List<String> refused = new ArrayList<>();

        for (Path folder : folders()) {
            try {
                return put(check(folder.toAbsolutePath()), file, bytes);
            } catch (IOException | SecurityException e) {
                refused.add(e instanceof Refused ? e.getMessage() : folder + ": " + e);
            }
        }
        throw new IOException("hprof: no folder for " + name + ": " + String.join("; ", refused)
            + ": name one with -Dhprof.folder=DIR" + other);
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

    /** Make the folder, or see that nobody else may put something in it, or it away. Its real path. */
    private static Path check(Path wanted) throws IOException {
        Path parent = wanted.getParent(), there = parent, folder;
        PosixFileAttributes a;

        if (parent == null)
            throw new Refused(wanted, "is not the user's own");
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS))
            there = there.getParent();
        checkAbove(wanted, there.toRealPath());
        parent = Files.createDirectories(there.toRealPath().resolve(there.relativize(parent)), AS_OWN).toRealPath();
        checkAbove(wanted, parent);
        folder = parent.resolve(wanted.getFileName());
        try {
            Files.createDirectory(folder, AS_OWN);
        } catch (FileAlreadyExistsException e) {
            // Looked at below, whoever has made it.
        }
        a = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (a.isSymbolicLink())
            throw new Refused(wanted, "is a symbolic link");
        if (!a.isDirectory())
            throw new Refused(wanted, "is no folder");
        if (!a.owner().equals(self()))
            throw new Refused(wanted, "belongs to " + a.owner().getName());
        if (!OWN.containsAll(a.permissions()))
            throw new Refused(wanted, "is open to others (" + PosixFilePermissions.toString(a.permissions())
                + "; chmod 700 helps)");
        if (isNoexec(folder))
            throw new Refused(wanted, "is on a file system without programs (noexec)");
        return folder;
    }

    /** See that nobody else may change the way to a folder: `real` and all above it, without links. */
    private static void checkAbove(Path wanted, Path real) throws IOException {
        Object self = Files.getAttribute(Paths.get("/proc/self"), "unix:uid");

        for (Path at = real; at != null; at = at.getParent()) {
            Object owner = Files.getAttribute(at, "unix:uid");
            int mode = (Integer) Files.getAttribute(at, "unix:mode");

            if (!owner.equals(0) && !owner.equals(self))
                throw new Refused(wanted, "lies in " + at + ", which belongs to " + Files.getOwner(at).getName());
            if ((mode & OTHERS_WRITE) != 0 && (mode & STICKY) == 0)
                throw new Refused(wanted, "lies in " + at + ", which others may write ("
                    + PosixFilePermissions.toString(Files.getPosixFilePermissions(at)) + "; chmod go-w helps)");
        }
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
        beside = Files.createTempFile(folder, ".", null, AS_OWN);
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
