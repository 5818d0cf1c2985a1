// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;

/** Class loaders that nobody holds any more, and that no collection has taken yet. Arguments: how many; how long to sleep, ms. */
public class HeapDropped {
    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("HeapLoaders$Payload", bytes, 0, bytes.length);
        }
    }

    static int drop(byte[] bytes, int count) throws Exception {
        List<Object> held = new ArrayList<>();
        for (int i = 0; i < count; i++)
            held.add(new Loader().define(bytes).getConstructor().newInstance());
        return held.size();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("dropped " + drop(HeapLoaders.read(), Integer.parseInt(args[0])));
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[1]));
    }
}
