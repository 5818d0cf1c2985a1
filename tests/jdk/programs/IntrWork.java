// Work of an interrupted thread, by the round.
public class IntrWork {
    public static void main(String[] a) {
        Thread.currentThread().interrupt();
        CpuWork.main(a);
    }
}
