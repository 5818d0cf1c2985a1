// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.RandomAccessFile;

/** When its folder has a file "go", has a file written to the disk 25 times: as many calls of fdatasync. */
public class Syncs {
    public static void main(String[] args) throws Exception {
        System.out.println("up");
        File go = new File("go");
        while (!go.exists())
            Thread.sleep(5);
        try (RandomAccessFile file = new RandomAccessFile(go, "rw")) {
            for (int i = 0; i < 25; i++)
                file.getChannel().force(false);
        }
        System.out.println("round 1");
        Thread.sleep(600000);
    }
}
