// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;

/** What a class holds besides its statics: constants, signers, a protection domain. */
public class HeapLinks {
    static class Signed {
        static String first() {
            return "a constant of Signed";
        }

        static Object[] more() {
            return new Object[] {"another one", StringBuilder.class, long[][].class, "caf\u00e9"};
        }

        static String never() {
            return "not resolved";
        }
    }

    static Object[] signers = {"a signer"};
    static Object domain = Signed.class.getProtectionDomain();

    public static void main(String[] args) throws Exception {
        Method set = Class.class.getDeclaredMethod("setSigners", Object[].class);
        set.setAccessible(true);
        set.invoke(Signed.class, (Object) signers);
        System.out.println(Signed.first() + Signed.more().length + (args.length > 0 ? Signed.never() : ""));
    }
}
