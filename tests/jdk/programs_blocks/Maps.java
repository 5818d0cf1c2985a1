import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** Maps pages with known counts: see native/maps.c. The library's path is the property `maps`. */
public class Maps {
    static final int FILE_BYTES = 1 << 20;
    static MappedByteBuffer kept;

    static native int maps(int count);

    static MappedByteBuffer map(Path path, int bytes) throws Exception {
        Files.write(path, new byte[bytes]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, bytes);
        }
    }

    static void mapsFile(Path path) throws Exception {
        kept = map(path, FILE_BYTES);
    }

    public static void main(String[] args) throws Exception {
        System.load(System.getProperty("maps"));
        map(Paths.get("first"), 1);
        // The agent finds a library within a lap, also those that the VM loads for files that are mapped.
        Thread.sleep(500);
        System.out.println("well " + maps(Integer.parseInt(args[0])));
        mapsFile(Paths.get("mapped"));
        System.out.println("done");
    }
}
