// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.RandomAccessFile;

/**
 * A stack whose frames hold objects, and slots with objects that are used no more. It waits for input that never comes.
 * Arguments: how often the methods run before, so that they are compiled and their classes loaded; a named pipe.
 */
public class StackRoots {
    static class Held {
    }
    static final class HeldByLocal extends Held {
    }
    static final class HeldByStack extends Held {
    }
    static final class HeldByParameter extends Held {
    }
    static final class HeldByMonitor extends Held {
    }

    /** In a slot that holds a reference on one of two paths alone. */
    static final class Unset {
    }

    /** In a variable whose last use has passed: the interpreter holds it, compiled code does not. */
    static final class Used {
    }

    static int count;

    static void use(Object o) {
        count += o.hashCode() & 1;
    }

    static void nothing() {
        count++;
    }

    static int pass(Object kept, int got) {
        use(kept);
        return got;
    }

    static int read(InputStream in) throws Exception {
        return in.read();
    }

    static int outer(long a, double b, Object parameter, InputStream in, boolean flag) throws Exception {
        Used used = new Used();
        nothing();
        use(used);
        HeldByLocal local = new HeldByLocal();
        long wide = count;
        if (flag) {
            Unset unset = new Unset();
            use(unset);
        }
        int got;
        synchronized (new HeldByMonitor()) {
            try {
                got = pass(new HeldByStack(), read(in));
            } catch (IllegalStateException e) {
                got = e.hashCode();
            }
        }
        use(local);
        use(parameter);
        return got + (int) wide + (int) a + (int) b;
    }

    public static void main(String[] args) throws Exception {
        // each class is loaded and each path was gone before the last of the calls, so that no compiled code gives up
        for (int i = Integer.parseInt(args[0]); i > 0; i--)
            outer(1, 2, new HeldByParameter(), new ByteArrayInputStream(new byte[0]), i % 2 == 0);
        // a named pipe that is opened for both directions: nobody waits for it to be opened, and it never ends
        InputStream in = new FileInputStream(new RandomAccessFile(args[1], "rw").getFD());
        Thread holder = new Thread(() -> {
            try {
                outer(1, 2, new HeldByParameter(), in, true);
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, "holder");
        holder.start();
        while (!isReading(holder.getStackTrace()))
            Thread.sleep(10);
        System.out.println("ready");
        holder.join();
    }

    static boolean isReading(StackTraceElement[] frames) {
        return frames.length > 0 && frames[0].isNativeMethod() && frames[0].getClassName().equals("java.io.FileInputStream");
    }
}
