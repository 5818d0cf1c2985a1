/*
 * Sleeps: 30 ms, and interrupted; where the JDK has them, for a Duration and on a virtual thread. Says how often.
 * SPDX-License-Identifier: Apache-2.0
 */
import java.lang.reflect.InvocationTargetException;

public class Sleeps {
    static int sleeps;

    static void interrupted() throws InterruptedException {
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100000);
            } catch (InterruptedException expected) {
                sleeps++;
            }
        }, "interrupted");
        sleeper.start();
        while (sleeper.getState() != Thread.State.TIMED_WAITING)
            Thread.yield();
        sleeper.interrupt();
        sleeper.join();
    }

    static void duration() throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.time.Duration");
        Thread.class.getMethod("sleep", type).invoke(null, type.getMethod("ofMillis", long.class).invoke(null, 31L));
        sleeps++;
    }

    static void virtual() throws ReflectiveOperationException, InterruptedException {
        Runnable work = () -> {
            try {
                Thread.sleep(32);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)).join();
        sleeps++;
    }

    public static void main(String[] args) throws Exception {
        Thread.sleep(30);
        Thread.sleep(29, 999999);
        sleeps = 2;
        try {
            Thread.sleep(-1);
        } catch (IllegalArgumentException expected) {
            interrupted();
        }
        try {
            virtual();
            duration();
        } catch (NoSuchMethodException older) {
            System.out.println("no virtual threads");
        }
        System.out.println(sleeps + " sleeps");
    }
}
