/*
 * Shapes8.java - shapes that Java 8 brought: lambdas, default methods, resources, switches on strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

public class Shapes8 {
    interface Walker {
        int step(int n);

        default int walk(int n) {
            Probe.check();
            try {
                return n == 0 ? fall() : walk(n - 1) + step(n);
            } catch (IllegalStateException e) {
                Probe.check();
                return rest(n);
            }
        }

        static int rest(int n) {
            Probe.check();
            return n;
        }

        static int fall() {
            throw new IllegalStateException();
        }
    }

    static class Resource implements AutoCloseable {
        final boolean bad;

        Resource(boolean bad) {
            this.bad = bad;
        }

        @Override
        public void close() {
            Probe.check();
            if (bad) {
                throw new UnsupportedOperationException();
            }
        }
    }

    static int resources(boolean throwInside, boolean throwAtClose) {
        try (Resource a = new Resource(throwAtClose); Resource b = new Resource(false)) {
            Probe.check();
            if (throwInside) {
                Walker.fall();
            }
            return 1;
        } catch (IllegalStateException | UnsupportedOperationException e) {
            Probe.check();
            return e.getSuppressed().length;
        }
    }

    static String strings(String s) {
        switch (s) {
            case "Aa":
            case "BB":
                Probe.check();
                return "same hash";
            case "throw":
                throw new IllegalStateException(s);
            default:
                return s;
        }
    }

    static <T extends Comparable<T>> T max(T a, T b) {
        Supplier<T> s = () -> {
            Probe.check();
            return a.compareTo(b) > 0 ? a : b;
        };
        return s.get();
    }

    static class Version implements Comparable<Version> {
        public int compareTo(Version o) {
            Probe.check(); // under the bridge method
            return 0;
        }
    }

    static void lambdas() {
        IntUnaryOperator half = n -> {
            if (n > 90) {
                throw new IllegalStateException();
            }
            return n / 2;
        };
        for (int i = 80; i < 100; i++) {
            try {
                half.andThen(half).applyAsInt(i);
            } catch (IllegalStateException e) {
                Probe.check();
            }
        }
        int total = Arrays.asList(3, 1, 2).stream().mapToInt(n -> {
            Probe.check();
            return n;
        }).sum();
        Walker w = n -> total;
        w.walk(12);
        Probe.check();
    }

    static void runAll() {
        for (int i = 0; i < 4; i++) {
            resources(i % 2 == 0, i / 2 == 0);
            Probe.check();
        }
        for (String s : new String[] {"Aa", "BB", "C", "throw"}) {
            try {
                strings(s);
            } catch (IllegalStateException e) {
                Probe.check();
            }
        }
        max(new Version(), new Version());
        lambdas();
        Probe.check();
    }

    static class All implements Runnable {
        public void run() {
            runAll();
        }
    }
}
