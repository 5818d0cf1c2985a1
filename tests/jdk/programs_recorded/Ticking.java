import jdk.jfr.*;

/** Commits an event each few milliseconds, numbered from 0, until somebody writes to its input; the last one is number -1. */
public class Ticking {
    @Name("test.Tick") static class Tick extends Event { @Label("Number") int number; @Label("Filler") String filler; }
    static final String filler = new String(new char[2000]).replace('\0', '.');    // so long that a chunk is soon full
    static void tick(int number) { Tick t = new Tick(); t.number = number; t.filler = filler; t.commit(); }
    public static void main(String[] args) throws Exception {
        for (int i = 0; System.in.available() == 0; i++) { tick(i); Thread.sleep(5); }
        tick(-1);
        Thread.sleep(2000);    // the next flush
    }
}
