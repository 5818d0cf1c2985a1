/*
 * A shop: a servlet in an embedded Tomcat answers from a database of H2 in memory. Asks it for what the arguments are the
 * paths of, prints the answers, and ends.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URL;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

public class Shop extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static Connection database;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (PreparedStatement query = database.prepareStatement("SELECT name FROM item WHERE id = ?")) {
            query.setInt(1, Integer.parseInt(request.getParameter("id")));
            try (ResultSet found = query.executeQuery()) {
                response.getWriter().print(found.next() ? found.getString(1) : "nothing");
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private static void fill() throws SQLException {
        database = DriverManager.getConnection("jdbc:h2:mem:shop");
        try (Statement make = database.createStatement()) {
            make.execute("CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR(20))");
            make.executeUpdate("INSERT INTO item VALUES(1, 'lamp'), (2, 'chair')");
            make.executeQuery("SELECT price FROM item");
        } catch (SQLException e) {
            System.out.println("refused: " + e.getErrorCode());
        }
    }

    private static String ask(int port, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL("http", "127.0.0.1", port, path).openConnection();
        try (BufferedReader answer = new BufferedReader(new InputStreamReader(connection.getInputStream(), "UTF-8"))) {
            return answer.readLine();
        }
    }

    public static void main(String[] args) throws Exception {
        fill();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir("tomcat");
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/item", "shop");
        tomcat.getConnector();
        tomcat.start();
        for (String path : args)
            System.out.println(path + ": " + ask(tomcat.getConnector().getLocalPort(), path));
        tomcat.stop();
        tomcat.destroy();
    }
}
