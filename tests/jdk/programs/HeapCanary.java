// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * What must not be in a heap dump that others may see. Arguments: a text, which is in strings and arrays here, and how long to sleep, ms.
 * Another such text is a literal.
 */
public class HeapCanary {
    static final class Account {
        String owner;
        char[] password;
        byte[] key;
        long number = 0x43414e4152594e55L; // CANARYNU
        int pin = 0x7e50494e; // ~PIN
        Long boxed = 0x424f584544434152L; // BOXEDCAR
        Account next;
    }

    static long total = 0x5354415449434c4cL; // STATICLL
    static Map<String, Account> accounts = new HashMap<>();
    static String literal = "CANARY_IN_A_LITERAL";

    public static void main(String[] args) throws Exception {
        String text = args[0];
        Account last = null;
        for (int i = 0; i < 100; i++) {
            Account a = new Account();
            a.owner = text + i;
            a.password = a.owner.toCharArray();
            a.key = a.owner.getBytes(StandardCharsets.UTF_8);
            a.next = last;
            accounts.put(a.owner, a);
            a.owner.hashCode();
            last = a;
        }
        Thread.currentThread().setName("thread of " + text);
        System.out.println("ready");
        Thread.sleep(Long.parseLong(args[1]));
        System.out.println(accounts.size() + literal + total);
    }
}
