// Many threads with long names come and go; then one spins until the file that it is told of exists.
public class NetChurn {
    public static void main(String[] a) throws Exception {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < 4000; i++)
            name.append("n");
        for (int i = Integer.parseInt(a[1]); i > 0; i--) {
            Thread t = new Thread(() -> { }, name.toString() + i);
            t.start();
            t.join();
        }
        System.out.println("churned");
        Spin.main(a);
    }
}
