// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.Iterator;
import java.util.List;
import org.netbeans.lib.profiler.heap.FieldValue;
import org.netbeans.lib.profiler.heap.GCRoot;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;
import org.netbeans.lib.profiler.heap.JavaFrameGCRoot;
import org.netbeans.lib.profiler.heap.ThreadObjectGCRoot;

/** What VisualVM's heap library sees in a dump of HeapGraph. Argument: the file. */
public class VisualvmReader {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        int counted = 0;
        for (Object c : heap.getAllClasses())
            counted += ((JavaClass) c).getInstancesCount();
        System.out.println("instances " + heap.getSummary().getTotalLiveInstances() + " counted " + counted);
        Instance types = (Instance) heap.getJavaClassByName("HeapGraph$Types").getInstances().get(0);
        for (Object f : types.getFieldValues()) {
            FieldValue value = (FieldValue) f;
            System.out.println(value.getField().getName() + " " + value.getValue());
        }
        int without = 0;
        for (Object n : heap.getJavaClassByName("HeapGraph$Node").getInstances()) {
            if (((Instance) n).getNearestGCRootPointer() == null)
                without++;
        }
        System.out.println("without a root " + without);
        int rooted = 0;
        long retained = 0;
        for (Iterator<?> i = heap.getAllInstancesIterator(); i.hasNext();) {
            Instance instance = (Instance) i.next();
            if (instance.isGCRoot() || instance.getNearestGCRootPointer() != null)
                rooted++;
            retained = Math.max(retained, instance.getRetainedSize());
        }
        System.out.println("rooted " + (rooted > counted / 2) + " retained " + (retained > 0));
        for (Object r : heap.getGCRoots()) {
            if (!(r instanceof JavaFrameGCRoot))
                continue;
            JavaFrameGCRoot frame = (JavaFrameGCRoot) r;
            ThreadObjectGCRoot thread = frame.getThreadGCRoot();
            if (frame.getFrameNumber() >= 0 && ((GCRoot) r).getInstance().getJavaClass().getName().startsWith("HeapGraph"))
                System.out.println("root in " + thread.getStackTrace()[frame.getFrameNumber()].getMethodName());
        }
    }
}
