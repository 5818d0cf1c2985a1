/*
 * Publishes.java - threads that work for spans, as an SDK of OpenTelemetry publishes them.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * Publishes LIBRARY ROUNDS: two threads compute for spans and for none, one waits for its span, and
 * one publishes records that no reader may believe. The library is loaded after the first work.
 */
public class Publishes {
    private static final int SPANS = 2;
    static volatile double sink;
    static volatile boolean isWorked;

    static native void attach(byte[] trace, byte[] span, byte[] attributes);
    static native void detach();
    static native void spoil(int how);
    static native boolean process(byte[] payload);

    private static byte[] filled(int size, int value) {
        byte[] bytes = new byte[size];

        java.util.Arrays.fill(bytes, (byte)value);
        return bytes;
    }

    private static byte[] attributes(String... values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        for (int i = 0; i < values.length; i++) {
            byte[] text = values[i].getBytes(StandardCharsets.UTF_8);

            out.write(i);
            out.write(text.length);
            out.write(text, 0, text.length);
        }
        return out.toByteArray();
    }

    /* ---- the context of the process, in the encoding of Protocol Buffers */

    private static byte[] field(int number, byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(), out = new ByteArrayOutputStream();

        for (byte[] part : parts)
            all.write(part, 0, part.length);
        out.write(number << 3 | 2);
        for (int size = all.size(); ; size >>>= 7) {
            out.write(size < 128 ? size : size & 127 | 128);
            if (size < 128)
                break;
        }
        out.write(all.toByteArray(), 0, all.size());
        return out.toByteArray();
    }

    private static byte[] text(int number, String text) {
        return field(number, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] pair(int number, String key, byte[] value) {
        return field(number, text(1, key), field(2, value));
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        for (byte[] part : parts)
            out.write(part, 0, part.length);
        return out.toByteArray();
    }

    private static byte[] payload(String... keys) {
        byte[][] names = new byte[keys.length][];

        for (int i = 0; i < keys.length; i++)
            names[i] = field(1, text(1, keys[i]));
        return join(
            field(1, pair(1, "service.name", text(1, "shop")), pair(1, "service.version", text(1, "1.2")),
                pair(1, "service.instance.id", text(1, "one-of-many"))),
            pair(2, "threadlocal.schema_version", text(1, "tls_v1")),
            pair(2, "threadlocal.attribute_key_map", field(5, names)));
    }

    /* ---- work; each method runs in one span only */

    static void compute() {
        double d = sink;

        for (int i = 0; i < 2000000; i++)
            d += Math.sqrt(i) * 1e-9;
        sink = d;
    }

    static void spanOne() {
        compute();
    }

    static void spanTwo() {
        compute();
    }

    static void none() {
        compute();
    }

    static void spoiled() {
        compute();
    }

    static void waits(CountDownLatch end) throws InterruptedException {
        end.await();
    }

    private static void work(int rounds) {
        for (int i = 0; i < rounds; i++) {
            attach(filled(16, 0x11), filled(8, 0x21), attributes("/cart", "alice"));
            spanOne();
            attach(filled(16, 0x12), filled(8, 0x22), attributes("/pay"));
            spanTwo();
            detach();
            none();
        }
    }

    /* As long as the others work, who begin to be seen when the agent has looked. */
    private static void workSpoiled() {
        for (int i = 0; !isWorked; i++) {
            spoil(i % 3 == 2 ? 1 : 0);
            spoiled();
        }
        detach();
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        CountDownLatch end = new CountDownLatch(1);
        Thread[] threads = new Thread[SPANS + 2];

        none();
        System.load(arguments[0]);
        if (!process(payload("http.route", "user_id")))
            throw new IllegalStateException("no context of the process");
        Thread.sleep(1500);
        for (int i = 0; i < SPANS; i++)
            threads[i] = new Thread(() -> work(rounds));
        threads[SPANS] = new Thread(() -> workSpoiled());
        threads[SPANS + 1] = new Thread(() -> {
            attach(filled(16, 0x13), filled(8, 0x23), null);
            try {
                waits(end);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        for (Thread t : threads)
            t.start();
        for (int i = 0; i < SPANS; i++)
            threads[i].join();
        isWorked = true;
        threads[SPANS].join();
        System.out.println("worked");
        end.countDown();
        threads[SPANS + 1].join();
        System.out.println("done");
    }
}
