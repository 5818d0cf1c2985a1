/*
 * Weaves the measuring of time into the methods that -Dtimed.methods= names, for the agent class_hook.c:
 * "org.h2.jdbc.JdbcStatement.execute*:org.acme.*.run", class and method, where * stands for any characters.
 *
 * A method m becomes m$timed, and a new m calls it between TimedCall.begin() and its end, also when it throws. So nothing
 * within a method need be understood. The time of a synchronized method has the wait for its monitor in it.
 * Constructors, static initializers, native and abstract methods and interfaces stay as they are.
 *
 * Needs ASM (org.ow2.asm:asm). SPDX-License-Identifier: Apache-2.0
 */
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

public final class TimingWeaver {
    private static final String CALL = "TimedCall";
    private static final String SUFFIX = "$timed";
    private static final int UNWOVEN = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_SYNTHETIC;
    private static final int KEPT = Opcodes.ACC_STATIC | Opcodes.ACC_SYNCHRONIZED | Opcodes.ACC_STRICT;

    /** A class and a method, each with * for any characters. */
    private static final class Wanted {
        final Pattern owner;
        final Pattern method;

        Wanted(String text) {
            int dot = text.lastIndexOf('.');
            if (dot < 1)
                throw new IllegalArgumentException("timed.methods: no class and method: " + text);
            owner = pattern(text.substring(0, dot));
            method = pattern(text.substring(dot + 1));
        }

        private static Pattern pattern(String text) {
            return Pattern.compile(("\\Q" + text + "\\E").replace("*", "\\E.*\\Q"));
        }
    }

    private static final List<Wanted> WANTED = new ArrayList<>();

    static {
        for (String text : System.getProperty("timed.methods", "").split(":"))
            if (!text.isEmpty())
                WANTED.add(new Wanted(text));
    }

    private TimingWeaver() {
    }

    /** The class with its methods wrapped; null if none is wanted. Several threads may call it at once. */
    public static byte[] instrumentClass(byte[] file) {
        String name = nameIn(file);
        List<Pattern> methods = new ArrayList<>();
        for (Wanted wanted : WANTED)
            if (name != null && wanted.owner.matcher(name).matches())
                methods.add(wanted.method);
        if (methods.isEmpty())
            return null;
        ClassReader reader = new ClassReader(file);
        if ((reader.getAccess() & Opcodes.ACC_INTERFACE) != 0)
            return null;
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Weaving weaving = new Weaving(writer, methods);
        reader.accept(weaving, 0);
        return weaving.count > 0 ? writer.toByteArray() : null;
    }

    /** With dots; null for a file that is newer than ASM, of which nothing else would be wanted either. */
    private static String nameIn(byte[] file) {
        try {
            return new ClassReader(file).getClassName().replace('/', '.');
        } catch (IllegalArgumentException newer) {
            return null;
        }
    }

    private static final class Weaving extends ClassVisitor {
        private final List<Pattern> wanted;
        private String owner;
        int count;

        Weaving(ClassVisitor next, List<Pattern> wanted) {
            super(Opcodes.ASM9, next);
            this.wanted = wanted;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            owner = name;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
            if (!isWanted(access, name))
                return super.visitMethod(access, name, type, signature, exceptions);
            count++;
            MethodVisitor wrapper = super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, name, type, signature, exceptions);
            MethodVisitor original = super.visitMethod(access & KEPT | Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC, name + SUFFIX,
                    type, null, exceptions);
            return new Original(original, new Wrapper(wrapper, owner, name, type, (access & Opcodes.ACC_STATIC) != 0));
        }

        private boolean isWanted(int access, String name) {
            if ((access & UNWOVEN) != 0 || name.startsWith("<"))
                return false;
            for (Pattern pattern : wanted)
                if (pattern.matcher(name).matches())
                    return true;
            return false;
        }
    }

    /** The body goes on as it is; annotations stay with the name that programs look for. */
    private static final class Original extends MethodVisitor {
        private final Wrapper wrapper;

        Original(MethodVisitor next, Wrapper wrapper) {
            super(Opcodes.ASM9, next);
            this.wrapper = wrapper;
        }

        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean visible) {
            return wrapper.to.visitAnnotation(type, visible);
        }

        @Override
        public AnnotationVisitor visitParameterAnnotation(int parameter, String type, boolean visible) {
            return wrapper.to.visitParameterAnnotation(parameter, type, visible);
        }

        @Override
        public void visitCode() {
            wrapper.write();
            super.visitCode();
        }
    }

    /** The code of the method that measures. */
    private static final class Wrapper {
        final MethodVisitor to;
        private final String owner;
        private final String name;
        private final String type;
        private final boolean isStatic;
        private final List<Object> locals = new ArrayList<>();
        private int size;

        Wrapper(MethodVisitor to, String owner, String name, String type, boolean isStatic) {
            this.to = to;
            this.owner = owner;
            this.name = name;
            this.type = type;
            this.isStatic = isStatic;
        }

        void write() {
            Label start = new Label();
            Label end = new Label();
            Label handler = new Label();
            to.visitCode();
            to.visitTryCatchBlock(start, end, handler, null);
            begin();
            int call = size;
            to.visitVarInsn(Opcodes.ASTORE, call);
            to.visitLabel(start);
            loadAll();
            to.visitMethodInsn(isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL, owner, name + SUFFIX, type, false);
            to.visitLabel(end);
            to.visitVarInsn(Opcodes.ALOAD, call);
            to.visitMethodInsn(Opcodes.INVOKEVIRTUAL, CALL, "end", "()V", false);
            to.visitInsn(Type.getReturnType(type).getOpcode(Opcodes.IRETURN));
            to.visitLabel(handler);
            locals.add(CALL);
            to.visitFrame(Opcodes.F_FULL, locals.size(), locals.toArray(), 1, new Object[] {"java/lang/Throwable"});
            to.visitInsn(Opcodes.DUP);
            to.visitVarInsn(Opcodes.ALOAD, call);
            to.visitInsn(Opcodes.SWAP);
            to.visitMethodInsn(Opcodes.INVOKEVIRTUAL, CALL, "fail", "(Ljava/lang/Throwable;)V", false);
            to.visitInsn(Opcodes.ATHROW);
            to.visitMaxs(0, 0);
            to.visitEnd();
        }

        /** Leaves the TimedCall on the stack; notes what the locals are. */
        private void begin() {
            Type[] parameters = Type.getArgumentTypes(type);
            if (!isStatic)
                add(Type.getObjectType(owner));
            to.visitLdcInsn(owner.replace('/', '.'));
            to.visitLdcInsn(name);
            to.visitIntInsn(Opcodes.SIPUSH, parameters.length);
            to.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
            for (int i = 0; i < parameters.length; i++) {
                to.visitInsn(Opcodes.DUP);
                to.visitIntInsn(Opcodes.SIPUSH, i);
                to.visitVarInsn(parameters[i].getOpcode(Opcodes.ILOAD), size);
                box(parameters[i]);
                to.visitInsn(Opcodes.AASTORE);
                add(parameters[i]);
            }
            to.visitMethodInsn(Opcodes.INVOKESTATIC, CALL, "begin",
                    "(Ljava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)LTimedCall;", false);
        }

        private void loadAll() {
            int local = 0;
            if (!isStatic)
                to.visitVarInsn(Opcodes.ALOAD, local++);
            for (Type parameter : Type.getArgumentTypes(type)) {
                to.visitVarInsn(parameter.getOpcode(Opcodes.ILOAD), local);
                local += parameter.getSize();
            }
        }

        private void add(Type local) {
            size += local.getSize();
            locals.add(inFrame(local));
        }

        private static Object inFrame(Type local) {
            switch (local.getSort()) {
            case Type.LONG:
                return Opcodes.LONG;
            case Type.DOUBLE:
                return Opcodes.DOUBLE;
            case Type.FLOAT:
                return Opcodes.FLOAT;
            case Type.OBJECT:
            case Type.ARRAY:
                return local.getInternalName();
            default:
                return Opcodes.INTEGER;
            }
        }

        private void box(Type value) {
            String box = boxOf(value.getSort());
            if (box != null)
                to.visitMethodInsn(Opcodes.INVOKESTATIC, box, "valueOf", "(" + value.getDescriptor() + ")L" + box + ";", false);
        }

        private static String boxOf(int sort) {
            switch (sort) {
            case Type.BOOLEAN:
                return "java/lang/Boolean";
            case Type.CHAR:
                return "java/lang/Character";
            case Type.BYTE:
                return "java/lang/Byte";
            case Type.SHORT:
                return "java/lang/Short";
            case Type.INT:
                return "java/lang/Integer";
            case Type.LONG:
                return "java/lang/Long";
            case Type.FLOAT:
                return "java/lang/Float";
            case Type.DOUBLE:
                return "java/lang/Double";
            default:
                return null;
            }
        }
    }
}
