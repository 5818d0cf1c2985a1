// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.net.*;
import java.sql.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import javax.servlet.http.*;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Serve N: Tomcat with one servlet over an H2 database in memory, asked N times by four clients in the same JVM, on kept connections. */
public class Serve extends HttpServlet {
    static final Object LOCK = new Object();
    static Connection[] connections = new Connection[8];
    static final BlockingQueue<Connection> POOL = new ArrayBlockingQueue<>(8);
    static final AtomicLong ANSWERED = new AtomicLong();
    static long sold;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int max = Integer.parseInt(request.getParameter("max"));
        StringBuilder text = new StringBuilder();

        try {
            Connection c = POOL.take();
            try (PreparedStatement s = c.prepareStatement("select id, name from item where price < ? order by name")) {
                s.setInt(1, max);
                try (ResultSet rows = s.executeQuery()) {
                    while (rows.next())
                        text.append(rows.getInt(1)).append(' ').append(rows.getString(2)).append('\n');
                }
            } finally {
                POOL.put(c);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IOException(e);
        }
        synchronized (LOCK) {
            for (int i = 0; i < text.length(); i += 16)
                sold += text.charAt(i);
        }
        response.getWriter().print(text);
        ANSWERED.incrementAndGet();
    }

    static void client(int port, int count) throws IOException {
        byte[] piece = new byte[8192];

        for (int i = 0; i < count; i++) {
            HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/?max=" + i % 60).openConnection();
            try (InputStream in = c.getInputStream()) {
                while (in.read(piece) >= 0)
                    continue;
            }
        }
    }

    public static void main(String[] a) throws Exception {
        File base = java.nio.file.Files.createTempDirectory("serve").toFile();
        Tomcat tomcat = new Tomcat();
        Connection first = DriverManager.getConnection("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");

        first.createStatement().execute("create table item(id int primary key, name varchar(100), price int)");
        for (int i = 0; i < 2000; i++)
            first.createStatement().execute("insert into item values(" + i + ", 'item " + i * 7919 % 2000 + "', " + i * 7 % 1000 + ")");
        for (int i = 0; i < 8; i++)
            POOL.add(DriverManager.getConnection("jdbc:h2:mem:shop"));
        tomcat.setBaseDir(base.getPath());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.getPath());
        Tomcat.addServlet(context, "serve", new Serve());
        context.addServletMappingDecoded("/", "serve");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort(), count = Integer.parseInt(a[0]);
        Thread[] clients = new Thread[4];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Thread(() -> {
                try {
                    client(port, count / clients.length);
                } catch (IOException e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            }, "client " + i);
            clients[i].start();
        }
        for (Thread c : clients)
            c.join();
        tomcat.stop();
        System.exit(0);
    }
}
