import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.StandardOpenOption;

/**
 * Reads and writes known numbers of bytes, each sort in a method of its own. The other end of a connection is a thread whose
 * methods have other names. The path of native/transfers.c is the property `transfers`.
 */
public class Io {
    static final int BYTES = 10000;
    static final int DELAY_MS = 50;

    static native int transfers(String path, String late, int loads);
    static native int hooked();

    /* ---- files */

    static void fileWrite(File file, int count) throws Exception {
        try (OutputStream out = new FileOutputStream(file)) {
            for (int i = 0; i < count; i++)
                out.write(new byte[BYTES]);
        }
    }

    /** Reads to the end: the last read has no bytes. */
    static long fileRead(File file) throws Exception {
        byte[] bytes = new byte[BYTES];
        long sum = 0;
        try (InputStream in = new FileInputStream(file)) {
            for (int n; (n = in.read(bytes)) > 0;)
                sum += n;
        }
        return sum;
    }

    static void randomAccess(File file, int count) throws Exception {
        byte[] bytes = new byte[BYTES];
        try (RandomAccessFile at = new RandomAccessFile(file, "rw")) {
            for (int i = 0; i < count; i++) {
                at.seek(0);
                at.readFully(bytes);
                at.seek(0);
                at.write(bytes);
            }
        }
    }

    static ByteBuffer[] buffers() {
        return new ByteBuffer[] {ByteBuffer.allocateDirect(BYTES / 2), ByteBuffer.allocate(BYTES / 2)};
    }

    static void channel(File file, int count) throws Exception {
        try (FileChannel at = FileChannel.open(file.toPath(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < count; i++) {
                at.read(ByteBuffer.allocateDirect(BYTES), 0);
                at.write(ByteBuffer.allocate(BYTES), 0);
            }
        }
    }

    static void vectored(File file, int count) throws Exception {
        try (FileChannel at = FileChannel.open(file.toPath(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < count; i++) {
                at.position(0);
                at.read(buffers());
                at.position(0);
                at.write(buffers());
            }
        }
    }

    static void force(File file) throws Exception {
        try (FileChannel at = FileChannel.open(file.toPath(), StandardOpenOption.WRITE)) {
            at.force(false);
            at.force(true);
        }
    }

    /* ---- sockets */

    static void peerAnswers(ServerSocket server, int count, int delay) {
        try (Socket socket = server.accept(); InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            for (int i = 0; i < count; i++) {
                for (int got = 0, n; got < BYTES && (n = in.read(new byte[BYTES - got])) > 0;)
                    got += n;
                Thread.sleep(delay);
                out.write(new byte[BYTES]);
            }
            in.read();
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static void answer(InputStream in) throws Exception {
        for (int got = 0, n; got < BYTES && (n = in.read(new byte[BYTES - got])) > 0;)
            got += n;
    }

    /** Sends and receives `count` times BYTES; each answer is late. `timeout` 0: reads wait without a limit. */
    static void socket(int count, int timeout, int delay) throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        try (ServerSocket server = new ServerSocket(0, 5, here)) {
            Thread peer = new Thread(() -> peerAnswers(server, count, delay));
            peer.start();
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(here, server.getLocalPort()), timeout);
                socket.setSoTimeout(timeout);
                for (int i = 0; i < count; i++) {
                    socket.getOutputStream().write(new byte[BYTES]);
                    answer(socket.getInputStream());
                }
            }
            peer.join();
        }
    }

    static void waitLimited(int count) throws Exception {
        socket(count, 5000, DELAY_MS);
    }

    static void waitUnlimited(int count) throws Exception {
        socket(count, 0, DELAY_MS);
    }

    static void comesLate(ServerSocket server) {
        try {
            Thread.sleep(DELAY_MS);
            new Socket("127.0.0.1", server.getLocalPort()).close();
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    /** Clients that connect late, with and without a limit for the wait. */
    static void acceptsLate() throws Exception {
        for (int timeout = 0; timeout <= 5000; timeout += 5000)
            try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
                Thread peer = new Thread(() -> comesLate(server));
                server.setSoTimeout(timeout);
                peer.start();
                server.accept().close();
                peer.join();
            }
    }

    static void timedOut() throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        try (ServerSocket server = new ServerSocket(0, 5, here); Socket socket = new Socket(here, server.getLocalPort())) {
            socket.setSoTimeout(DELAY_MS);
            socket.getInputStream().read();
            throw new IllegalStateException("no timeout");
        } catch (SocketTimeoutException e) {
            System.out.println("timed out");
        }
    }

    static void peerAccepts(ServerSocketChannel server, long bytes) {
        try (SocketChannel from = server.accept()) {
            ByteBuffer to = ByteBuffer.allocateDirect(BYTES);
            long sum = 0;
            for (int n; (n = from.read(to)) >= 0; to.clear())
                sum += n;
            if (sum != bytes)
                throw new IllegalStateException("got " + sum);
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static SocketChannel connect(ServerSocketChannel server) throws Exception {
        return SocketChannel.open(new InetSocketAddress("127.0.0.1", ((InetSocketAddress) server.getLocalAddress()).getPort()));
    }

    static void gathered(int count) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            Thread peer = new Thread(() -> peerAccepts(server, (long) count * BYTES));
            peer.start();
            try (SocketChannel to = connect(server)) {
                for (int i = 0; i < count; i++) {
                    ByteBuffer[] buffers = buffers();
                    while (buffers[1].hasRemaining())
                        to.write(buffers);
                }
            }
            peer.join();
        }
    }

    static void transferred(File file) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
             FileChannel from = FileChannel.open(file.toPath())) {
            Thread peer = new Thread(() -> peerAccepts(server, file.length()));
            peer.start();
            try (SocketChannel to = connect(server)) {
                for (long at = 0; at < file.length();)
                    at += from.transferTo(at, file.length() - at, to);
            }
            peer.join();
        }
    }

    /** Non-blocking: reads that find nothing are no calls. */
    static void selected(int count) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
             Selector selector = Selector.open(); SocketChannel to = connect(server); SocketChannel from = server.accept()) {
            from.configureBlocking(false);
            from.register(selector, SelectionKey.OP_READ);
            ByteBuffer into = ByteBuffer.allocateDirect(BYTES * 2);
            for (int i = 0; i < count; i++) {
                to.write(ByteBuffer.allocateDirect(BYTES));
                into.clear();
                while (into.position() < BYTES) {
                    selector.select();
                    selector.selectedKeys().clear();
                    from.read(into);
                }
                if (from.read(into) != 0)
                    throw new IllegalStateException();
            }
        }
    }

    static void datagrams(int count) throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        try (DatagramSocket to = new DatagramSocket(0, here); DatagramSocket from = new DatagramSocket(0, here)) {
            DatagramPacket packet = new DatagramPacket(new byte[BYTES], BYTES);
            for (int i = 0; i < count; i++) {
                from.send(new DatagramPacket(new byte[BYTES], BYTES, here, to.getLocalPort()));
                to.receive(packet);
                if (packet.getLength() != BYTES)
                    throw new IllegalStateException();
            }
        }
    }

    static void each(File file, int count) throws Exception {
        fileWrite(file, count);
        fileRead(file);
        randomAccess(file, count);
        channel(file, count);
        vectored(file, count);
        force(file);
        socket(count, 0, 0);
        gathered(count);
        transferred(file);
        selected(count);
        datagrams(count);
    }

    public static void main(String[] args) throws Exception {
        String what = args[0];
        int count = Integer.parseInt(args[1]);
        File file = new File("made.bin");
        if (System.getProperty("transfers") != null)
            System.load(System.getProperty("transfers"));
        each(new File("warm.bin"), 1); // all classes and libraries are loaded
        Thread.sleep(500); // the agent finds a library within a lap
        switch (what) {
            case "each":
                System.out.println("begun " + System.currentTimeMillis());
                each(file, count);
                break;
            case "slow":
                fileWrite(file, count);
                waitLimited(count);
                waitUnlimited(count);
                timedOut();
                acceptsLate();
                break;
            case "native":
                System.out.println("well " + transfers(file.getPath(), args[2], Integer.parseInt(args[3])));
                break;
            case "rounds":
                System.out.println("begun " + hooked());
                System.out.flush();
                for (int n = 0; !new File("stop").exists(); n++) {
                    if (new File("each").delete()) {
                        each(file, count);
                        System.out.println("made");
                    }
                    if (new File("look").delete())
                        System.out.println("hooked " + hooked());
                    System.out.flush();
                    Thread.sleep(10);
                }
                break;
            default:
                throw new IllegalArgumentException(what);
        }
        System.out.println("done");
    }
}
