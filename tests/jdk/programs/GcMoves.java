/** Threads that wait, and get new names all the time, among garbage, between full collections. */
public class GcMoves {
    static volatile Object garbage;

    public static void main(String[] args) throws Exception {
        Thread[] waiters = new Thread[40];
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] = new Thread("moves-" + i) {
                public synchronized void run() {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            };
            waiters[i].start();
        }
        for (int round = 0;; round++) {
            for (int i = 0; i < 20 * waiters.length; i++) {
                waiters[i % waiters.length].setName("moves-" + i);
                garbage = new byte[3000 + i];
            }
            if (round == 0)
                System.out.println("ready");
            System.gc();
        }
    }
}
