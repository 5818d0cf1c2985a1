// SPDX-License-Identifier: Apache-2.0
// Upcall.java - C code that calls back into Java through the foreign function interface: qsort with a Java comparator.
// Arguments: seconds. JDK 22 and later.
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class Upcall {
    static int compare(MemorySegment a, MemorySegment b) {
        return Integer.compare(a.get(ValueLayout.JAVA_INT, 0), b.get(ValueLayout.JAVA_INT, 0)) + Work.fib(5) * 0;
    }

    public static void main(String[] args) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle qsort = linker.downcallHandle(linker.defaultLookup().find("qsort").get(),
            FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        MethodHandle compare = MethodHandles.lookup().findStatic(Upcall.class, "compare",
            MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
        var element = ValueLayout.ADDRESS.withTargetLayout(ValueLayout.JAVA_INT);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stub = linker.upcallStub(compare, FunctionDescriptor.of(ValueLayout.JAVA_INT, element, element), arena);
            long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L;
            MemorySegment numbers = arena.allocate(4000);
            for (int i = 0; System.nanoTime() < end; i++) {
                for (int k = 0; k < 1000; k++) numbers.setAtIndex(ValueLayout.JAVA_INT, k, (k * 7919 + i) % 1000);
                qsort.invokeExact(numbers, 1000L, 4L, stub);
            }
        }
    }
}
