/** A thread that asks for the time and does nothing else. Prints "ready" first. */
public class Ticks {
    static volatile long last;

    static void ask() {
        while (true) {
            last = System.nanoTime();
        }
    }

    public static void main(String[] args) {
        System.out.println("ready");
        ask();
    }
}
