// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.EnumSet;
import java.util.Iterator;
import shark.CloseableHeapGraph;
import shark.GcRoot;
import shark.HeapField;
import shark.HeapGraph;
import shark.HeapObject;
import shark.HprofHeapGraph;
import shark.HprofRecordTag;

/**
 * What LeakCanary's shark sees in a dump of HeapGraph: it follows each root and field, and finds classes by name; those of
 * packages and arrays not, for it looks for slashes where the format has dots. Argument: the file.
 */
public class SharkReader {
    static int fields(HeapGraph graph, HeapObject.HeapInstance instance) {
        int count = 0;
        for (Iterator<HeapField> i = instance.readFields().iterator(); i.hasNext(); count++) {
            HeapField field = i.next();
            Long id = field.getValue().getAsNonNullObjectId();
            if (id != null)
                graph.findObjectById(id); // throws if there is none
        }
        return count;
    }

    public static void main(String[] args) throws Exception {
        try (CloseableHeapGraph graph = HprofHeapGraph.Companion.openHeapGraph(new File(args[0]), null, EnumSet.allOf(HprofRecordTag.class))) {
            int classes = 0;
            for (Iterator<HeapObject.HeapClass> i = graph.getClasses().iterator(); i.hasNext(); classes++) {
                HeapObject.HeapClass c = i.next();
                boolean isPlain = c.getName().indexOf('.') < 0 && !c.isArrayClass();
                if (isPlain && graph.findClassByName(c.getName()).getObjectId() != c.getObjectId())
                    throw new AssertionError("no class of the name " + c.getName());
            }
            int instances = 0;
            int fields = 0;
            for (Iterator<HeapObject.HeapInstance> i = graph.getInstances().iterator(); i.hasNext(); instances++)
                fields += fields(graph, i.next());
            for (GcRoot root : graph.getGcRoots())
                graph.findObjectById(root.getId());
            System.out.println("objects " + graph.getObjectCount() + " classes " + classes);
            System.out.println("instances " + instances + " fields " + (fields > 0));
            HeapObject.HeapInstance types = graph.findClassByName("HeapGraph$Types").getDirectInstances().iterator().next();
            System.out.println("text " + types.get("HeapGraph$Types", "latin").getValue().readAsJavaString());
            System.out.println("number " + types.get("HeapGraph$Types", "number").getValue().getAsInt());
        }
    }
}
