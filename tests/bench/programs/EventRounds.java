/** What CommittedEvents and RecorderEvents share: 100 rounds of so many events, the median of their times. */
class EventRounds {
    interface Events {
        void run(int count);
    }

    static long allocated() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
            .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void measure(String name, int count, Events events) {
        double[] ns = new double[100];
        long bytes = 0;

        for (int round = 0; round < ns.length; round++) {
            long before = allocated(), start = System.nanoTime();

            events.run(count);
            ns[round] = (System.nanoTime() - start) / (double) count;
            bytes = allocated() - before;
        }
        java.util.Arrays.sort(ns);
        System.out.printf("%s %.1f ns %.2f bytes%n", name, ns[ns.length / 2], bytes / (double) count);
    }
}
