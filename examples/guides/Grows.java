// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Grows - a program whose memory grows in two places, for docs/guides/memory.md.
 *
 * render() makes much garbage, which does no harm. login() puts sessions into a map that nobody empties: the Java heap
 * grows. open() keeps direct buffers: memory outside of the heap grows. The program runs until it is ended.
 */
public class Grows {
    static final Map<Integer, Session> SESSIONS = new HashMap<>();
    static final List<ByteBuffer> CHANNELS = new ArrayList<>();
    static volatile int length;

    static class Session {
        final String user;
        final byte[] state = new byte[2000];

        Session(String user) {
            this.user = user;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int request = 0;; request++) {
            login(request);
            for (int i = 0; i < 4; i++)
                render(request);
            if (request % 100 == 0)
                open();
            Thread.sleep(1);
        }
    }

    /** Garbage: a page is gone as soon as it is sent. */
    static void render(int request) {
        StringBuilder page = new StringBuilder();
        for (int row = 0; row < 100; row++)
            page.append("<td>").append(request).append(' ').append(row).append("</td>");
        length = page.toString().length();
    }

    /** A leak in the heap: each request has a session, and no session is ever removed. */
    static void login(int request) {
        SESSIONS.put(request, new Session("user " + request));
    }

    /** A leak outside of the heap: 256 KB of native memory, held by a small object. */
    static void open() {
        CHANNELS.add(ByteBuffer.allocateDirect(256 * 1024));
    }
}
