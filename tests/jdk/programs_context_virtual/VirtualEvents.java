/* Events of a platform thread and of virtual ones, of which the second has no name; a field has the thread, too. SPDX-License-Identifier: Apache-2.0 */
import hprof.HprofEventType;

public class VirtualEvents {
    static final HprofEventType DONE =
        HprofEventType.named("app.Done").field("name", String.class).field("id", long.class).field("other", Thread.class).define();

    static void commit() {
        Thread self = Thread.currentThread();

        DONE.begin().set(0, self.getName()).set(1, self.threadId()).set(2, self).commit();
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        Thread platform = Thread.ofPlatform().name("platform").start(VirtualEvents::commit);

        platform.join();
        for (int i = 0; i < count; i++)
            (i == 1 ? Thread.ofVirtual() : Thread.ofVirtual().name("virtual-" + i)).start(VirtualEvents::commit).join();
    }
}
