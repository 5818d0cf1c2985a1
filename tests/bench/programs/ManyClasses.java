// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.util.Locale;

/**
 * ManyClasses N [T [D]]: loads N classes of 20 methods each, starts T threads that wait D calls deep (50), then beats: a thread that looks at the clock every
 * 0.2 ms or so and remembers its longest gap. Commands on stdin: "reset", "gap" (prints it in us), end of
 * input ends the program.
 */
public class ManyClasses extends ClassLoader {
    static volatile long longest;
    static final int METHODS = 20;

    /** A class file: 20 static methods that return at once. Source: JVM specification, chapter 4. */
    static byte[] make(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(49);
        out.writeShort(7 + METHODS);
        utf8(out, name);               // 1
        out.writeByte(7);              // 2
        out.writeShort(1);
        utf8(out, "java/lang/Object"); // 3
        out.writeByte(7);              // 4
        out.writeShort(3);
        utf8(out, "()V");              // 5
        utf8(out, "Code");             // 6
        for (int i = 0; i < METHODS; i++) utf8(out, "method" + i); // 7...
        out.writeShort(0x21);
        out.writeShort(2);
        out.writeShort(4);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(METHODS);
        for (int i = 0; i < METHODS; i++) {
            out.writeShort(9);
            out.writeShort(7 + i);
            out.writeShort(5);
            out.writeShort(1);
            out.writeShort(6);
            out.writeInt(13);
            out.writeShort(0);
            out.writeShort(0);
            out.writeInt(1);
            out.writeByte(177); // return
            out.writeShort(0);
            out.writeShort(0);
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    static void utf8(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    void load(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            byte[] b = make("many/C" + i);
            Class.forName(defineClass("many.C" + i, b, 0, b.length).getName(), true, this);
        }
    }

    static void beat() {
        long before = System.nanoTime();
        while (true) {
            java.util.concurrent.locks.LockSupport.parkNanos(200_000);
            long now = System.nanoTime();
            if (now - before > longest) longest = now - before;
            before = now;
        }
    }

    static void waitDeep(int calls) {
        if (calls > 0) waitDeep(calls - 1);
        else while (true) java.util.concurrent.locks.LockSupport.park();
    }

    public static void main(String[] a) throws Exception {
        new ManyClasses().load(Integer.parseInt(a[0]));
        for (int i = 0; a.length > 1 && i < Integer.parseInt(a[1]); i++) {
            Thread waiting = new Thread(() -> waitDeep(a.length > 2 ? Integer.parseInt(a[2]) : 50), "waiting " + i);
            waiting.setDaemon(true);
            waiting.start();
        }
        Thread t = new Thread(ManyClasses::beat, "heartbeat");
        t.setDaemon(true);
        t.start();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            if (line.equals("reset")) longest = 0;
            System.out.println(String.format(Locale.ROOT, "%d", longest / 1000));
        }
    }
}
