/** Works for args[0] milliseconds in two threads: recursion in one, strings in the other. */
public class AsgstWork {
    static int sink;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void hot(long until) {
        while (System.currentTimeMillis() < until)
            sink += fib(20);
    }

    static void strings(long until) {
        StringBuilder text = new StringBuilder();
        while (System.currentTimeMillis() < until) {
            text.setLength(0);
            for (int i = 0; i < 1000; i++)
                text.append(i);
            sink += text.toString().hashCode();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.currentTimeMillis() + Integer.parseInt(args[0]);
        Thread other = new Thread(() -> strings(until));
        other.start();
        hot(until);
        other.join();
    }
}
