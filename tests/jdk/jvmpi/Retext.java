/*
 * Weaves the least that shows: "text one" becomes "text two". SPDX-License-Identifier: Apache-2.0
 */
import java.nio.charset.StandardCharsets;

public class Retext {
    public static byte[] instrumentClass(byte[] file) {
        String text = new String(file, StandardCharsets.ISO_8859_1);
        return text.contains("text one") ? text.replace("text one", "text two").getBytes(StandardCharsets.ISO_8859_1) : null;
    }
}
