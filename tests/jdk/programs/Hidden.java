import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntUnaryOperator;

/** Works for some time below a lambda, reflection and a method handle, each of which has frames of the VM's own. */
public class Hidden {
    static int work(int n) {
        for (int i = 0; i < 20000; i++)
            n = n * 31 + i;
        return n;
    }

    static int byLambda(IntUnaryOperator f, int n) { return f.applyAsInt(n); }

    public static void main(String[] words) throws Throwable {
        java.lang.reflect.Method method = Hidden.class.getDeclaredMethod("work", int.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(Hidden.class, "work", MethodType.methodType(int.class, int.class));
        handle = MethodHandles.filterReturnValue(handle, handle);
        int sum = 0;
        long end = 0;
        // The first round makes the lambda, which takes long where much else runs.
        for (int round = 0; round < 3000 || System.nanoTime() < end; round++) {
            if (round == 1) {
                end = System.nanoTime() + 1000000000L;
            }
            sum += byLambda(n -> work(n) + 1, sum);
            sum += (Integer) method.invoke(null, sum);
            sum += (int) handle.invokeExact(sum);
        }
        System.out.println(sum);
    }
}
