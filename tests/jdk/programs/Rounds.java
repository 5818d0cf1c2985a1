// Rounds of threads with long names that come and go, the next one when the file "go1", "go2" ... exists; ends with the file "stop".
// Arguments: threads of a round; the length of their name, which then is the same for all (otherwise 4,000 letters and a number).
public class Rounds {
    static volatile double sum;

    static void round(int threads, int length) throws Exception {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < (length > 0 ? length : 4000); i++)
            name.append("n");
        for (int i = threads; i > 0; i--) {
            Thread t = new Thread(() -> sum += CpuHot.hot(10000), length > 0 ? name.toString() : name.toString() + i);
            t.start();
            t.join();
        }
    }

    public static void main(String[] a) throws Exception {
        for (int i = 1; !new java.io.File("stop").exists();) {
            if (new java.io.File("go" + i).exists()) {
                round(Integer.parseInt(a[0]), a.length > 1 ? Integer.parseInt(a[1]) : 0);
                System.out.println("round " + i++);
            }
            Thread.sleep(10);
        }
    }
}
