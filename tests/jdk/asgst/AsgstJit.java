import java.lang.reflect.Method;

/**
 * A chain of methods, each kept in the form that its name says: `int_` interpreted, `c1_N` and `c2_` compiled at that level,
 * `in_` inlined into its caller, `native`. args: the agent library, then what stands at the end of the chain: `check`
 * compares, `burn` works for some seconds, `hold` prints a line and stays.
 */
public class AsgstJit {
    static native void check(int how); // 0: nothing; prints its own verdict
    static native void callBack(int how);
    static native void setMethods(Object[] methods, int[] levels);

    static final int CHECK = 1, BURN = 2, HOLD = 3;

    static void int_first(int how) {
        c1_1(how);
    }

    static void c1_1(int how) {
        in_c1(how);
    }

    static void in_c1(int how) {
        c1_2(how);
    }

    static void c1_2(int how) {
        c1_3(how);
    }

    static void c1_3(int how) {
        c2_4(how);
    }

    static void c2_4(int how) {
        in_c2(how);
    }

    static void in_c2(int how) {
        in_in_c2(how);
    }

    static void in_in_c2(int how) {
        int_middle(how);
    }

    static void int_middle(int how) {
        callBack(how);
    }

    static synchronized void c2_last(int how) {
        check(how);
    }

    static int levelOf(Method method) {
        String name = method.getName();
        return name.startsWith("c1_") ? name.charAt(3) - '0' : name.startsWith("c2_") ? 4 : 0;
    }

    static boolean isForced(Method[] methods, ForceLevel vm) throws Exception {
        for (Method method : methods)
            if (levelOf(method) != 0 && vm.get(method) != levelOf(method))
                return false;
        return true;
    }

    /** Whether all is compiled as it should be, and stays so when it runs: what the VM learns then may throw code away. */
    static boolean force(Method[] methods, ForceLevel vm) throws Exception {
        for (Method method : methods) {
            int level = levelOf(method);
            if (level != 0 && vm.get(method) != level)
                vm.force(method, level);
        }
        for (int i = 0; i < 2000 && !isForced(methods, vm); i++)
            Thread.sleep(1);
        for (int i = 0; i < 10; i++)
            int_first(0);
        return isForced(methods, vm);
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        int how = args[1].equals("check") ? CHECK : args[1].equals("burn") ? BURN : HOLD;
        Method[] methods = AsgstJit.class.getDeclaredMethods();
        ForceLevel vm = new ForceLevel();
        int[] levels = new int[methods.length];
        for (int i = 0; i < levels.length; i++)
            levels[i] = levelOf(methods[i]);
        setMethods(methods, levels);
        for (int i = 0; i < 300; i++)
            int_first(0);
        boolean isForced = false;
        for (int i = 0; i < 20 && !isForced; i++)
            isForced = force(methods, vm);
        System.out.println(isForced ? "forced" : "not forced");
        System.out.flush();
        int_first(how);
    }
}

/** The VM's own test interface, by reflection: its class has another name in later versions. */
class ForceLevel {
    private final Object box;
    private final Method get, force;

    ForceLevel() throws Exception {
        Class<?> klass;
        try {
            klass = Class.forName("jdk.test.whitebox.WhiteBox");
            klass.getMethod("begin").invoke(null);
        } catch (java.lang.reflect.InvocationTargetException e) {
            klass = Class.forName("sun.hotspot.WhiteBox");
            klass.getMethod("begin").invoke(null);
        }
        box = klass.getConstructor().newInstance();
        get = klass.getMethod("levelOf", java.lang.reflect.Executable.class);
        force = klass.getMethod("compile", java.lang.reflect.Executable.class, int.class);
    }

    int get(Method method) throws Exception {
        return (Integer) get.invoke(box, method);
    }

    void force(Method method, int level) throws Exception {
        force.invoke(box, method, level);
    }
}
