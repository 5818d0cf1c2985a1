// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.mat.parser.internal.SnapshotFactory;
import org.eclipse.mat.snapshot.ISnapshot;
import org.eclipse.mat.snapshot.model.IClass;
import org.eclipse.mat.util.VoidProgressListener;

/**
 * What Eclipse's Memory Analyzer makes of a dump: what it complains of, and how many objects of each class it can reach; it
 * drops the others. Its indexes lie beside the file. Argument: the file.
 */
public class MatReader {
    public static void main(String[] args) throws Exception {
        ISnapshot snapshot = new SnapshotFactory().openSnapshot(new File(args[0]), new HashMap<String, String>(), new VoidProgressListener() {
            @Override
            public void sendUserMessage(Severity severity, String message, Throwable cause) {
                if (severity != Severity.INFO)
                    System.out.println(severity + " " + message + (cause == null ? "" : " " + cause));
            }
        });
        Map<String, Integer> counts = new TreeMap<>();
        for (IClass one : snapshot.getClasses())
            counts.merge(one.getName(), one.getNumberOfObjects(), Integer::sum);
        for (Map.Entry<String, Integer> one : counts.entrySet())
            if (one.getValue() > 0)
                System.out.println("class " + one.getValue() + " " + one.getKey());
        long retained = 0;
        for (IClass one : snapshot.getClassesByName("HeapGraph", false))
            retained += one.getRetainedHeapSize();
        System.out.println("retained " + (retained > 0));
    }
}
