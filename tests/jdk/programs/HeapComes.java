// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayDeque;

/** Two threads load a class again and again, and keep an object of each of the last fifty, until the program is killed. */
public class HeapComes extends Thread {
    public static class Guest {
        public Object held = new int[3];
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("HeapComes$Guest", bytes, 0, bytes.length);
        }
    }

    static byte[] bytes;
    final ArrayDeque<Object> guests = new ArrayDeque<>();

    @Override
    public void run() {
        try {
            for (;;) {
                guests.add(new Loader().define(bytes).getConstructor().newInstance());
                if (guests.size() > 50)
                    guests.remove();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = HeapComes.class.getResourceAsStream("HeapComes$Guest.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                out.write(b);
        }
        bytes = out.toByteArray();
        new HeapComes().start();
        new HeapComes().start();
        Thread.sleep(200);
        System.out.println("ready");
    }
}
