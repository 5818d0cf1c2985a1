// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Classes that come and go, and objects of theirs between those that stay. Arguments: loaders; rounds; how long to sleep, ms. */
public class HeapLoaders {
    public static class Payload {
        public Object next;
        public long[] data = new long[3];
        public String text = "of a class that goes";
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("HeapLoaders$Payload", bytes, 0, bytes.length);
        }
    }

    static List<Object> stay = new ArrayList<>();
    static List<Object> go = new ArrayList<>();

    static byte[] read() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = HeapLoaders.class.getResourceAsStream("HeapLoaders$Payload.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                out.write(b);
        }
        return out.toByteArray();
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = read();
        int loaders = Integer.parseInt(args[0]);
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            for (int i = 0; i < loaders; i++) {
                Class<?> one = new Loader().define(bytes);
                for (int n = 0; n < 20; n++) {
                    go.add(one.getConstructor().newInstance());
                    stay.add(new int[n]);
                }
            }
            System.gc(); // old now
            go.clear();
            System.gc(); // their classes are unloaded, what remains of them lies between the others
        }
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[2]));
    }
}
