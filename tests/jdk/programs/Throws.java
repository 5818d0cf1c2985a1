// Makes known numbers of exceptions of known classes at known lines; some are never thrown, some are thrown twice.
public class Throws {
    static class Plain extends Exception {
        Plain(String text) {
            super(text);
        }
    }

    static class Derived extends Plain {
        Derived() {
            super("derived");
        }
    }

    // Without a stack of its own, as programs do it that throw often.
    static class Light extends RuntimeException {
        Light() {
            super("light", null, false, false);
        }
    }

    static class Wrapper extends RuntimeException {
        Wrapper() {
            super(new IllegalStateException("inner"));
        }
    }

    static Object sink;

    static void plain() {
        try {
            throw new Plain("x");
        } catch (Plain e) {
            sink = e;
        }
    }

    static void derived() {
        sink = new Derived();
    }

    static void light() {
        try {
            throw new Light();
        } catch (Light e) {
            sink = e;
        }
    }

    static void wrapper() {
        sink = new Wrapper();
    }

    static void thrownTwice() {
        try {
            try {
                throw new UnsupportedOperationException();
            } catch (UnsupportedOperationException e) {
                throw e;
            }
        } catch (UnsupportedOperationException e) {
            sink = e;
        }
    }

    static int ofTheVm(int[] nothing) {
        try {
            return nothing.length;
        } catch (NullPointerException e) {
            sink = e;
            return 0;
        }
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        int pauseMs = Integer.parseInt(args[1]);
        for (int i = 0; i < times; i++) {
            plain();
            derived();
            light();
            wrapper();
            thrownTwice();
            ofTheVm(null);
            if (pauseMs > 0) {
                Thread.sleep(pauseMs);
            }
        }
    }
}
