// Threads whose names are too long for one line of the original agent, or more than one line.
public class LongName {
    public static void main(String[] a) throws Exception {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < 3000; i++)
            name.append((char) ('a' + i % 26));
        for (String each : new String[] {name.toString(), "two\nlines"}) {
            Thread t = new Thread(() -> CpuHot.sink += CpuHot.hot(100), each);
            t.start();
            t.join();
        }
        System.out.println("done");
    }
}
