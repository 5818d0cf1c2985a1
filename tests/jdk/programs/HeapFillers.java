// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;

/**
 * Numbers that nobody holds any more, between objects that live: a full collection does not move so few, and closes their
 * gaps with fillers, in which the numbers remain. Argument: how long to wait then.
 */
public class HeapFillers {
    static final List<byte[]> KEPT = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        int secret = 0x5ec2e7ec + args.length;    // so that no class has it
        for (int i = 0; i < 30000; i++) {
            KEPT.add(new byte[1000]);
            if (i % 60 == 0)
                java.util.Arrays.fill(new int[200], secret);
        }
        for (int i = 0; i < 3; i++)
            System.gc();
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[0]));
    }
}
