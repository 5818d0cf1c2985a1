/** Works in two threads: args[0] rounds of recursion in one, strings in the other until that has ended. */
public class AsgstWork {
    static int sink;
    static volatile boolean isDone;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void hot(long rounds) {
        for (long i = 0; i < rounds; i++)
            sink += fib(20);
    }

    static void strings() {
        StringBuilder text = new StringBuilder();
        while (!isDone) {
            text.setLength(0);
            for (int i = 0; i < 1000; i++)
                text.append(i);
            sink += text.toString().hashCode();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(AsgstWork::strings);
        other.start();
        hot(Long.parseLong(args[0]));
        isDone = true;
        other.join();
    }
}
