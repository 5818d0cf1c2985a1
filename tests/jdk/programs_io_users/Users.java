import hprof.HprofContext;
import hprof.HprofKey;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;

/** Reads a file for each of its users as often as the user's number says. */
public class Users {
    static final HprofKey USER = HprofKey.of("user");
    static final int BYTES = 10000;

    static void read(File file) throws Exception {
        try (InputStream in = new FileInputStream(file)) {
            if (in.read(new byte[BYTES]) != BYTES)
                throw new IllegalStateException();
        }
    }

    public static void main(String[] args) throws Exception {
        File file = new File("made.bin");
        try (OutputStream out = new FileOutputStream(file)) {
            out.write(new byte[BYTES]);
        }
        Thread.sleep(500); // the agent finds the libraries within a lap
        for (int user = 1; user <= 3; user++)
            try (HprofContext c = USER.open("user" + user)) {
                for (int i = 0; i < user; i++)
                    read(file);
            }
        System.out.println("done");
    }
}
