/*
 * alloc_code.c - see alloc_code.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_code.h"
#include "agent/agent.h"
#include "classfile/opcode.h"
#include "vm/class_heat.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

enum {
    MAJOR = 49,
    ACC_STATIC_FINAL = 0x0018,
    ACC_PUBLIC_STATIC = 0x0009,
    ACC_STATIC = 0x0008,
    ROOM = 1 << 20,
};

enum { /* instructions that opcode.h does not name */
       PUTSTATIC = 179,
       LDC2_W = 20,
};

static const uint8_t instructions[] = {OP_NEWARRAY, OP_ANEWARRAY, OP_MULTIANEWARRAY};
static const char *const texts[] = {
    "clone",
    "newArray",
    "multiNewArray",
    "allocateInstance",
    "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;",
    "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;",
};
const struct class_heat_code alloc_code_makes_arrays = {
    .instructions = instructions,
    .instruction_count = sizeof(instructions),
    .texts = texts,
    .text_count = sizeof(texts) / sizeof(texts[0]),
};

void alloc_code_op(struct alloc_code *c, uint8_t code)
{
    outbuf_u1(&c->w.code, code);
}

void alloc_code_op2(struct alloc_code *c, uint8_t code, uint16_t operand)
{
    outbuf_u1(&c->w.code, code);
    outbuf_u2(&c->w.code, operand);
}

void alloc_code_push_long(struct alloc_code *c, int64_t v)
{
    alloc_code_op2(c, LDC2_W, classwrite_long(&c->w, v));
}

void alloc_code_push_int_of(struct alloc_code *c, int64_t at)
{
    alloc_code_op2(c, ALLOC_CODE_GETSTATIC, c->unsafe);
    alloc_code_op(c, OP_ALOAD_0);
    alloc_code_push_long(c, at);
    alloc_code_op2(c, OP_INVOKEVIRTUAL, c->get_int);
}

void alloc_code_call(struct alloc_code *c, const char *native, const char *signature)
{
    alloc_code_op2(c, OP_INVOKESTATIC, classwrite_method_ref(&c->w, c->w.self, native, signature));
}

void alloc_code_method(struct alloc_code *c, const char *name, uint16_t stack, uint16_t locals)
{
    alloc_code_op(c, ALLOC_CODE_RETURN);
    classwrite_method(&c->w, ACC_PUBLIC_STATIC, name, "(Ljava/lang/Object;)V", stack, locals, NULL);
}

void alloc_code_plain(struct alloc_code *c, const char *name, const char *native)
{
    alloc_code_op(c, OP_ALOAD_0);
    alloc_code_call(c, native, "(Ljava/lang/Object;)V");
    alloc_code_method(c, name, 1, 1);
}

static void add_refs(struct alloc_code *c)
{
    struct classwrite *w = &c->w;
    uint16_t unsafe = classwrite_class(w, "sun/misc/Unsafe"),
             thread = classwrite_class(w, "java/lang/Thread");
    c->unsafe = classwrite_field_ref(w, w->self, "U", "Lsun/misc/Unsafe;");
    c->get_unsafe = classwrite_method_ref(w, unsafe, "getUnsafe", "()Lsun/misc/Unsafe;");
    c->get_int = classwrite_method_ref(w, unsafe, "getInt", "(Ljava/lang/Object;J)I");
    c->get_long = classwrite_method_ref(w, unsafe, "getLong", "(Ljava/lang/Object;J)J");
    c->get_word = classwrite_method_ref(w, unsafe, "getLong", "(J)J");
    c->put_word = classwrite_method_ref(w, unsafe, "putLong", "(JJ)V");
    c->current_thread = classwrite_method_ref(w, thread, "currentThread", "()Ljava/lang/Thread;");
}

/* Finds the offsets of Thread.tid and of an array's length. Returns whether both are known. */
static int find_places(struct alloc_code *c, struct agent *a, JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass thread = vm_lookup_class(&l, "java/lang/Thread");
    jint array_base =
        vm_lookup_static_int(&l, vm_lookup_class(&l, "sun/misc/Unsafe"), "ARRAY_BYTE_BASE_OFFSET");
    c->tid_at =
        vm_lookup_offset(&l, a->vm.release, thread, vm_lookup_field(&l, thread, "tid", "J"));
    c->length_at = array_base - (jint)sizeof(jint);
    return vm_lookup_end(&l);
}

int alloc_code_begin(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t)
{
    if (!find_places(c, a, env))
        return -1;
    arena_init(&c->arena, ROOM);
    classwrite_begin(&c->w, &c->arena, t->name, MAJOR);
    add_refs(c);
    classwrite_field(&c->w, ACC_STATIC_FINAL, "U", "Lsun/misc/Unsafe;");
    alloc_code_op2(c, OP_INVOKESTATIC, c->get_unsafe);
    alloc_code_op2(c, PUTSTATIC, c->unsafe);
    alloc_code_op(c, ALLOC_CODE_RETURN);
    classwrite_method(&c->w, ACC_STATIC, "<clinit>", "()V", 1, 0, NULL);
    for (int i = 0; i < t->native_count; i++)
        classwrite_native(&c->w, t->natives[i].name, t->natives[i].signature);
    return 0;
}

int alloc_code_define(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t)
{
    const uint8_t *bytes;
    size_t len;
    int result = -1;
    if (classwrite_end(&c->w, &bytes, &len) == 0)
        result = tracker_define(&a->vm, env, t, bytes, len);
    arena_done(&c->arena);
    return result;
}
