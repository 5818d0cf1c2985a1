import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.ArrayReference;
import com.sun.jdi.ArrayType;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassObjectReference;
import com.sun.jdi.ClassType;
import com.sun.jdi.Field;
import com.sun.jdi.InterfaceType;
import com.sun.jdi.InternalException;
import com.sun.jdi.LocalVariable;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.MonitorInfo;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadGroupReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Attaches to a port and writes down all that JDI tells of the program Shown. Ids are left out, objects are numbered as they are met. */
public class Walk {
    static final int ABSENT_INFORMATION = 101, INVALID_SLOT = 35;

    static final int DEPTH = 5;
    /* Flags of the VM's own that agents up to JDK 20 show among those of a field. */
    static final int VM_OWN = 0x820;
    static Map<ObjectReference, Integer> numbers = new HashMap<>();
    /* Agents up to JDK 11 hide fields of Throwable and of ConstantPool. */
    static final List<String> HIDDEN = Arrays.asList("backtrace", "constantPoolOop", "base");
    static PrintStream out;

    static VirtualMachine attach(String port) throws Exception {
        for (AttachingConnector one : Bootstrap.virtualMachineManager().attachingConnectors()) {
            if (one.transport().name().equals("dt_socket")) {
                Map<String, Connector.Argument> arguments = one.defaultArguments();
                arguments.get("hostname").setValue("127.0.0.1");
                arguments.get("port").setValue(port);
                return one.attach(arguments);
            }
        }
        throw new IllegalStateException("no socket");
    }

    /* Names of classes that the VM makes have numbers in them. */
    static boolean isPlain(String name) {
        return !name.contains("Lambda") && !name.contains("/") && !name.contains("0x") && !name.contains("LambdaForm") && !name.contains("Invokers$Holder");
    }

    static String plain(String name) {
        return isPlain(name) ? name : "(made by the VM)";
    }

    static String or(Supplier<Object> asked) {
        try {
            return String.valueOf(asked.get());
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    static String show(Value value, int depth) {
        if (value == null) {
            return "null";
        }
        if (value instanceof StringReference) {
            return "\"" + ((StringReference) value).value() + "\"";
        }
        if (!(value instanceof ObjectReference)) {
            return value.type().name() + " " + value;
        }
        ObjectReference object = (ObjectReference) value;
        String name = plain(object.referenceType().name());
        if (object instanceof ClassObjectReference) {
            return "class " + plain(((ClassObjectReference) object).reflectedType().name());
        }
        if (numbers.containsKey(object)) {
            return name + "#" + numbers.get(object);
        }
        if (depth == 0) {
            return name;
        }
        numbers.put(object, numbers.size() + 1);
        StringBuilder text = new StringBuilder(name + "#" + numbers.get(object));
        if (object instanceof ArrayReference) {
            ArrayReference array = (ArrayReference) object;
            text.append("[" + array.length() + "]{");
            for (Value one : array.length() == 0 ? new ArrayList<Value>() : array.getValues()) {
                text.append(show(one, depth - 1)).append(", ");
            }
        } else if (object instanceof ThreadReference) {
            return "thread " + ((ThreadReference) object).name();
        } else {
            text.append("{");
            Map<Field, Value> values = object.getValues(object.referenceType().allFields());
            for (Field field : object.referenceType().allFields()) {
                if (!field.isStatic()) {
                    text.append(field.name() + "=" + show(values.get(field), depth - 1) + ", ");
                }
            }
        }
        return text.append("}").toString();
    }

    static String show(Location at) {
        return plain(at.declaringType().name()) + "." + at.method().name() + at.method().signature() + " line " + at.lineNumber() + " bci " + at.codeIndex();
    }

    /** As IDEs do: all at once, or one after the other if the value of one is not known. */
    static Map<LocalVariable, Value> valuesOf(StackFrame frame, List<LocalVariable> variables) {
        try {
            return frame.getValues(variables);
        } catch (InternalException e) {
            if (e.errorCode() != ABSENT_INFORMATION) {
                throw e;
            }
        }
        Map<LocalVariable, Value> values = new HashMap<>();
        for (LocalVariable variable : variables) {
            try {
                values.put(variable, frame.getValue(variable));
            } catch (InternalException e) {
                if (e.errorCode() != ABSENT_INFORMATION) {
                    throw e;
                }
            }
        }
        return values;
    }

    /** The numbers of objects do not depend on which other variables are known. */
    static String showAlone(Value value, int depth) {
        Map<ObjectReference, Integer> before = new HashMap<>(numbers);
        String text = show(value, depth);
        numbers = before;
        return text;
    }

    static String thisOf(StackFrame frame) throws Exception {
        try {
            return showAlone(frame.thisObject(), 1);
        } catch (InternalException e) {
            if (e.errorCode() != INVALID_SLOT) {
                throw e;
            }
            return "absent";
        }
    }

    static void showFrame(StackFrame frame) throws Exception {
        out.println("    at " + show(frame.location()));
        if (!frame.location().declaringType().name().startsWith("Shown") || frame.location().method().isNative()) {
            return;
        }
        out.println("      this = " + thisOf(frame));
        try {
            List<LocalVariable> variables = frame.visibleVariables();
            Map<LocalVariable, Value> values = valuesOf(frame, variables);
            for (LocalVariable variable : variables) {
                out.println("      " + variable.typeName() + " " + variable.name() + (variable.isArgument() ? " (argument)" : "") + " = "
                    + (values.containsKey(variable) ? showAlone(values.get(variable), 2) : "absent"));
            }
        } catch (AbsentInformationException e) {
            out.println("      no variables");
        }
    }

    static void showThread(ThreadReference thread) throws Exception {
        ThreadGroupReference group = thread.threadGroup();
        out.println("  thread " + thread.name() + " status " + thread.status() + " group " + (group == null ? "none" : group.name())
                    + " suspended " + thread.isSuspended() + " frames " + thread.frameCount());
        for (StackFrame frame : thread.frames()) {
            showFrame(frame);
        }
        for (MonitorInfo one : thread.ownedMonitorsAndFrames()) {
            out.println("    owns " + show(one.monitor(), 1) + " depth " + one.stackDepth());
        }
        /* Newer agents do not name the monitor of Object.wait(). */
        ObjectReference contended = thread.status() == ThreadReference.THREAD_STATUS_WAIT ? null : thread.currentContendedMonitor();
        out.println("    waits for " + show(contended, 1));
        if (contended != null) {
            ThreadReference owner = contended.owningThread();
            out.println("      owner " + (owner == null ? "none" : owner.name()) + " entries " + contended.entryCount()
                        + " waiting " + contended.waitingThreads().size());
        }
    }

    static void showGroups(List<ThreadGroupReference> groups, String indent) {
        TreeSet<String> lines = new TreeSet<>();
        for (ThreadGroupReference group : groups) {
            TreeSet<String> names = new TreeSet<>();
            for (ThreadReference thread : group.threads()) {
                names.add(thread.name());
            }
            lines.add(indent + "group " + group.name() + " parent " + (group.parent() == null ? "none" : group.parent().name())
                      + (group.name().equals("system") ? "" : " " + names));
        }
        lines.forEach(out::println);
        for (ThreadGroupReference group : groups) {
            showGroups(group.threadGroups(), indent + "  ");
        }
    }

    static void showMethod(Method method, boolean isOurs) throws Exception {
        out.println("    method " + method.name() + method.signature() + " " + method.genericSignature() + " " + Integer.toHexString(method.modifiers())
                    + (isOurs ? " obsolete " + method.isObsolete() : ""));
        if (!isOurs || method.isNative() || method.isAbstract()) {
            return;
        }
        for (Location at : method.allLineLocations()) {
            out.println("      line " + at.lineNumber() + " at " + at.codeIndex());
        }
        try {
            for (LocalVariable variable : method.variables()) {
                out.println("      variable " + variable.name() + " " + variable.signature() + " " + variable.genericSignature() + (variable.isArgument() ? " argument" : ""));
            }
        } catch (AbsentInformationException e) {
            out.println("      no variables");
        }
    }

    static String source(ReferenceType type) {
        try {
            return type.sourceName();
        } catch (AbsentInformationException e) {
            return "none";
        }
    }

    /* Since JDK 25 the agent adds ACC_SUPER to each interface. */
    static String modifiers(ReferenceType type) {
        return type instanceof ArrayType ? "array" : Integer.toHexString(type.modifiers() & ~(type instanceof InterfaceType ? 0x20 : 0));
    }

    static void showType(ReferenceType type, boolean hasModules) throws Exception {
        boolean isOurs = type.name().startsWith("Shown");
        if (!isOurs && !type.name().matches("java\\.(lang|util)\\.[A-Z]\\w*")) {
            /* Each further question takes a packet there and one back. */
            out.println("  type " + type.signature() + " " + type.genericSignature() + " prepared " + type.isPrepared());
            return;
        }
        out.println("  type " + type.signature() + " " + type.genericSignature() + " " + modifiers(type)
                    + " prepared " + type.isPrepared() + " initialized " + type.isInitialized() + " failed " + type.failedToInitialize() + " source " + source(type)
                    + " loader " + (type.classLoader() == null ? "none" : type.classLoader().referenceType().name())
                    + (hasModules ? " module " + type.module().name() : "") + " version " + or(() -> type.majorVersion() + "." + type.minorVersion()));
        if (type instanceof ClassType) {
            ClassType one = (ClassType) type;
            TreeSet<String> interfaces = new TreeSet<>();
            one.interfaces().forEach(i -> interfaces.add(i.name()));
            out.println("    extends " + (one.superclass() == null ? "none" : one.superclass().name()) + " implements " + interfaces);
        } else if (type instanceof InterfaceType) {
            TreeSet<String> interfaces = new TreeSet<>();
            ((InterfaceType) type).superinterfaces().forEach(i -> interfaces.add(i.name()));
            out.println("    extends " + interfaces);
        }
        for (Field field : type.fields()) {
            if (HIDDEN.contains(field.name())) {
                continue;
            }
            out.println("    field " + field.name() + " " + field.signature() + " " + field.genericSignature() + " " + Integer.toHexString(field.modifiers() & ~VM_OWN));
        }
        List<Method> methods = new ArrayList<>(type.methods());
        methods.sort((a, b) -> (a.name() + a.signature()).compareTo(b.name() + b.signature()));
        for (Method method : methods) {
            /* The agent of JDK 8 shows methods that the VM has made, which look like bridges. */
            if (isPlain(method.name() + method.signature()) && !method.isBridge()) {
                showMethod(method, isOurs);
            }
        }
        if (isOurs) {
            TreeSet<String> nested = new TreeSet<>();
            type.nestedTypes().forEach(one -> nested.add(plain(one.name())));
            out.println("    nested " + nested);
            for (Field field : type.fields()) {
                if (field.isStatic()) {
                    out.println("    static " + field.name() + " = " + show(type.getValue(field), DEPTH));
                }
            }
            if (!(type instanceof ArrayType) && type.virtualMachine().canGetInstanceInfo()) { /* the agent of JDK 28 finds no arrays */
                out.println("    instances " + type.instances(0).size());
            }
        }
    }

    static void showReferrers(VirtualMachine vm) {
        ReferenceType shown = vm.classesByName("Shown").get(0);
        for (String name : new String[] {"first", "second", "KEPT", "WAITED", "LONGS"}) {
            ObjectReference object = (ObjectReference) shown.getValue(shown.fieldByName(name));
            TreeSet<String> types = new TreeSet<>();
            for (ObjectReference one : object.referringObjects(0)) {
                types.add(one instanceof ClassObjectReference ? "class " + ((ClassObjectReference) one).reflectedType().name() : one.referenceType().name());
            }
            out.println("  " + name + " referred to by " + types);
        }
    }

    public static void main(String[] args) throws Exception {
        VirtualMachine vm = attach(args[0]);
        out = new PrintStream(args[1], "UTF-8");
        boolean isOnlyThreads = args.length > 2;
        vm.suspend();
        boolean hasModules = vm.canGetModuleInfo();
        out.println("version " + vm.version() + " name " + vm.name());
        /* Objects get their numbers from what does not depend on who answers. */
        out.println("statics");
        for (ReferenceType shown : vm.classesByName("Shown")) {
            for (Field field : shown.fields()) {
                out.println("  " + field.name() + " = " + show(shown.getValue(field), DEPTH));
            }
        }
        out.println("threads");
        List<ThreadReference> threads = new ArrayList<>(vm.allThreads());
        threads.sort((a, b) -> a.name().compareTo(b.name()));
        for (ThreadReference thread : threads) {
            if (thread.threadGroup() != null && !thread.threadGroup().name().equals("system")) {
                showThread(thread);
            }
        }
        if (!isOnlyThreads) {
            out.println("groups");
            showGroups(vm.topLevelThreadGroups(), "  ");
            out.println("types");
            List<ReferenceType> types = new ArrayList<>(vm.allClasses());
            types.removeIf(type -> !isPlain(type.name()));
            types.sort((a, b) -> a.name().compareTo(b.name()));
            for (ReferenceType type : types) {
                showType(type, hasModules);
            }
            if (vm.canGetInstanceInfo()) {
                out.println("referrers");
                showReferrers(vm);
            }
        }
        out.println("end");
        out.close();
        vm.dispose();
    }
}
