/*
 * Eight threads load Outer0 to Outer7 at once; load() is called by the agent promises.c. SPDX-License-Identifier: Apache-2.0
 */
import java.util.concurrent.CyclicBarrier;

class Outer0 {
}

class Inner0 {
}

class Outer1 {
}

class Inner1 {
}

class Outer2 {
}

class Inner2 {
}

class Outer3 {
}

class Inner3 {
}

class Outer4 {
}

class Inner4 {
}

class Outer5 {
}

class Inner5 {
}

class Outer6 {
}

class Inner6 {
}

class Outer7 {
}

class Inner7 {
}

public class Nesting {
    static void load(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        CyclicBarrier all = new CyclicBarrier(8);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            String name = "Outer".concat(String.valueOf(i));
            threads[i] = new Thread(() -> {
                try {
                    all.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                load(name);
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("ended");
    }
}
