// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Loads a class as often as the argument says, each time by another loader, and works in all of them in turns: each makes an array. */
public class ManyLoaded {
    public interface Work {
        int work(int x);
    }

    public static class Copy implements Work {
        @Override
        public int work(int x) {
            int sum = x + new int[1].length;
            for (int i = 0; i < 20; i++)
                sum = sum * 31 + more(i);
            return sum;
        }

        static int more(int i) {
            for (int k = 0; k < 50; k++)
                i = i * 31 ^ k;
            return i;
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("ManyLoaded$Copy", bytes, 0, bytes.length);
        }
    }

    static volatile int sink;

    public static void main(String[] args) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = ManyLoaded.class.getResourceAsStream("ManyLoaded$Copy.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                out.write(b);
        }
        List<Work> all = new ArrayList<>();
        for (int i = Integer.parseInt(args[0]); i > 0; i--)
            all.add((Work) new Loader().define(out.toByteArray()).getConstructor().newInstance());
        System.out.println("ready");
        for (;;) {
            for (Work w : all)
                sink += w.work(sink);
            Thread.sleep(1);
        }
    }
}
