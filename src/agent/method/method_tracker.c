/*
 * method_tracker.c - see method_tracker.h.
 *
 * The class's version is 49, so it needs no StackMapTable.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/method/method_tracker.h"
#include "base/arena.h"
#include "base/err.h"
#include "classfile/classwrite.h"
#include "classfile/opcode.h"
#include "safe/release.h"
#include "vm/tracker.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"

enum {
    OP_ILOAD_0 = 26, /* opcodes that opcode.h does not have */
    OP_LLOAD_2 = 32,
    OP_ALOAD_1 = 43,
    OP_LDC2_W = 20,
    OP_LSTORE_2 = 65,
    OP_ASTORE_1 = 76,
    OP_LNEG = 117,
    OP_LRETURN = 173,
    OP_RETURN = 177,
    OP_GETSTATIC = 178,
    OP_PUTSTATIC = 179,
    OP_INSTANCEOF = 193,
    BYTES_MAX = 1 << 20, /* memory while the class is written */
    MAJOR = 49,
    STACK = 8,
    LOCALS = 4,
    ACC_STATIC = 0x0008,
    ACC_PUBLIC_STATIC = 0x0009,
    ACC_STATIC_FINAL = 0x0018,
};

/* What the code depends on. */
struct facts {
    jlong tid_offset;
    bool is_jdk_8, has_virtual;
};

static void op(struct classwrite *w, uint8_t code)
{
    outbuf_u1(&w->code, code);
}

static void op2(struct classwrite *w, uint8_t code, uint16_t operand)
{
    outbuf_u1(&w->code, code);
    outbuf_u2(&w->code, operand);
}

/* long enter(int at): the number of the current thread, negated if it is a virtual thread, and `at`
 * go to open(). Local 1 is the thread, local 2 its number. */
static void write_enter(struct classwrite *w, const struct facts *f, uint16_t unsafe_field,
                        uint16_t unsafe)
{
    enum { IF_BYTES = 3, NEGATE_BYTES = 3 };
    uint16_t thread = classwrite_class(w, "java/lang/Thread");
    op2(w, OP_INVOKESTATIC,
        classwrite_method_ref(w, thread, "currentThread", "()Ljava/lang/Thread;"));
    op(w, OP_ASTORE_1);
    op2(w, OP_GETSTATIC, unsafe_field);
    op(w, OP_ALOAD_1);
    op2(w, OP_LDC2_W, classwrite_long(w, f->tid_offset));
    op2(w, OP_INVOKEVIRTUAL, classwrite_method_ref(w, unsafe, "getLong", "(Ljava/lang/Object;J)J"));
    op(w, OP_LSTORE_2);
    if (f->has_virtual) {
        op(w, OP_ALOAD_1);
        op2(w, OP_INSTANCEOF, classwrite_class(w, "java/lang/BaseVirtualThread"));
        op2(w, OP_IFEQ, IF_BYTES + NEGATE_BYTES);
        op(w, OP_LLOAD_2);
        op(w, OP_LNEG);
        op(w, OP_LSTORE_2);
    }
    op(w, OP_LLOAD_2);
    op(w, OP_ILOAD_0);
    op2(w, OP_INVOKESTATIC, classwrite_method_ref(w, w->self, "open", "(JI)J"));
    op(w, OP_LRETURN);
    classwrite_method(w, ACC_PUBLIC_STATIC, "enter", "(I)J", STACK, LOCALS, NULL);
}

static int make(struct arena *a, const struct tracker *t, const struct facts *f,
                const uint8_t **ret_bytes, size_t *ret_len)
{
    struct classwrite w;
    const char *name = f->is_jdk_8 ? "sun/misc/Unsafe" : "jdk/internal/misc/Unsafe";
    const char *type = f->is_jdk_8 ? "Lsun/misc/Unsafe;" : "Ljdk/internal/misc/Unsafe;";
    const char *getter = f->is_jdk_8 ? "()Lsun/misc/Unsafe;" : "()Ljdk/internal/misc/Unsafe;";
    classwrite_begin(&w, a, t->name, MAJOR);
    uint16_t unsafe = classwrite_class(&w, name);
    uint16_t field = classwrite_field_ref(&w, w.self, "U", type);
    classwrite_field(&w, ACC_STATIC_FINAL, "U", type);
    op2(&w, OP_INVOKESTATIC, classwrite_method_ref(&w, unsafe, "getUnsafe", getter));
    op2(&w, OP_PUTSTATIC, field);
    op(&w, OP_RETURN);
    classwrite_method(&w, ACC_STATIC, "<clinit>", "()V", STACK, LOCALS, NULL);
    write_enter(&w, f, field, unsafe);
    for (int i = 0; i < t->native_count; i++)
        classwrite_native(&w, t->natives[i].name, t->natives[i].signature);
    return classwrite_end(&w, ret_bytes, ret_len);
}

static struct facts find_facts(JNIEnv *env, int release)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass thread = vm_lookup_class(&l, "java/lang/Thread");
    struct facts f = {.is_jdk_8 = release < RELEASE_INTERNAL_UNSAFE};
    f.tid_offset = vm_lookup_offset(&l, release, thread, vm_lookup_field(&l, thread, "tid", "J"));
    if (!vm_lookup_end(&l))
        f.tid_offset = -1;
    l = vm_lookup_begin(env);
    f.has_virtual = vm_lookup_class(&l, "java/lang/BaseVirtualThread") != NULL;
    vm_lookup_end(&l);
    return f;
}

int method_tracker_define(const struct vm *vm, JNIEnv *env, const struct method_tracker *natives)
{
    static JNINativeMethod rows[3];
    static struct tracker tracker = {METHOD_TRACKER, rows, sizeof(rows) / sizeof(rows[0]), NULL,
                                     false};
    if (tracker.is_defined)
        return 0;
    const struct facts facts = find_facts(env, vm->release);
    if (facts.tid_offset < 0)
        return E_FACT_MISSING;
    rows[0] = (JNINativeMethod){(char *)"open", (char *)"(JI)J", (void *)natives->open};
    rows[1] = (JNINativeMethod){(char *)"exit", (char *)"(J)V", (void *)natives->exit};
    rows[2] = (JNINativeMethod){(char *)"unwound", (char *)"(Ljava/lang/Throwable;J)V",
                                (void *)natives->unwound};
    struct arena arena;
    const uint8_t *bytes;
    size_t len;
    arena_init(&arena, BYTES_MAX);
    int error = make(&arena, &tracker, &facts, &bytes, &len);
    if (error == 0)
        error = tracker_define(vm, env, &tracker, bytes, len);
    arena_done(&arena);
    tracker.is_defined = error == 0;
    return error;
}
