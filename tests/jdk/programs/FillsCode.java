// SPDX-License-Identifier: Apache-2.0
import java.math.BigDecimal;
import java.math.MathContext;
import java.security.MessageDigest;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/**
 * Calls much of the JDK once. If the VM compiles all that is called, a small code cache is full after it; a VM that finds no room
 * for the code by which it calls a method at all says so by an error, at any call.
 */
public class FillsCode {
    static long sink;

    public static void main(String[] args) throws Exception {
        try {
            call();
        } catch (VirtualMachineError e) {
            sink++;
        }
    }

    static void call() throws Exception {
        sink += String.format("%s %d %.3f %08x %e", "text", 12, 3.5, 77, 1e9).length();
        sink += new BigDecimal("2.5").pow(77).divide(new BigDecimal("3.7"), MathContext.DECIMAL128).toString().length();
        sink += new SimpleDateFormat("yyyy-MM-dd HH:mm:ss.SSS zzz").format(new Date(0)).length();
        sink += Pattern.compile("(a|b)*c[d-f]{2,3}\\w+(?=x)").matcher("ababcddefgx").find() ? 1 : 0;
        sink += MessageDigest.getInstance("SHA-256").digest(new byte[1000])[0];
        Deflater deflater = new Deflater();
        deflater.setInput(new byte[10000]);
        deflater.finish();
        sink += deflater.deflate(new byte[10000]);
        TreeMap<String, Integer> map = new TreeMap<>();
        for (int i = 0; i < 1000; i++)
            map.merge("key" + i % 100, i, Integer::sum);
        sink += map.values().stream().mapToInt(Integer::intValue).filter(i -> i % 2 == 0).sum();
        System.out.println("done " + sink);
    }
}
