/*
 * alloc_tracker.c - see alloc_tracker.h.
 *
 * The class is of version 49, so its branches need no frames. Where it lies matters for skipping
 * frames: native method, its Java caller, and for objects the constructor of Object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_tracker.h"
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_mix.h"
#include "agent/alloc/alloc_stack.h"
#include "agent/log.h"
#include "base/arena.h"
#include "base/expo.h"
#include "base/pages.h"
#include "classfile/classwrite.h"
#include "classfile/opcode.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

enum {
    SKIP_ARRAY = 2,  /* native, Java */
    SKIP_OBJECT = 3, /* and Object.<init> */
    SLOTS = 1 << 16, /* counters; threads whose ids are that far apart share one */
    SLOT_SHIFT = 6,  /* a cache line each */
    KLASS_AT = 8,    /* of an object */
    OBJECT_WEIGHT = 32,
    ARRAY_WEIGHT = 16,
    ELEMENT_SHIFT = 2, /* an element weighs four bytes */
    MAJOR = 49,
    ACC_STATIC_FINAL = 0x0018,
    ACC_PUBLIC_STATIC = 0x0009,
    ACC_STATIC = 0x0008,
};

enum { /* instructions that opcode.h does not name */
       GETSTATIC = 178,
       PUTSTATIC = 179,
       INVOKEVIRTUAL = OP_INVOKEVIRTUAL,
       LDC2_W = 20,
       LLOAD_1 = 31,
       LLOAD_3 = 33,
       LSTORE_1 = 64,
       LSTORE_3 = 66,
       LADD = 97,
       LSUB = 101,
       LSHL = 121,
       LAND = 127,
       I2L = 133,
       LCMP = 148,
       LCONST_0 = 9,
       IFLT = 155,
       RETURN = 177,
};

/* The counter of a thread: bytes to the next sample. */
struct slot {
    int64_t left;
    uint64_t random; /* 0: not drawn yet */
    uint64_t unused[6];
};

static struct slot *slots;

/* ---- native methods */

static void JNICALL object_made(JNIEnv *env, jclass self, jobject object, jint klass)
{
    const struct alloc_seen seen = {.object = object,
                                    .class_key = (uint32_t)klass,
                                    .probability = 1,
                                    .skip = SKIP_OBJECT,
                                    .shape = ALLOC_SHAPE_OBJECT};

    alloc_count(env, &seen);
}

static void JNICALL array_made(JNIEnv *env, jclass self, jobject array, jint klass, jint length)
{
    const struct alloc_seen seen = {.object = array,
                                    .class_key = (uint32_t)klass,
                                    .probability = 1,
                                    .skip = SKIP_ARRAY,
                                    .shape = ALLOC_SHAPE_ARRAY,
                                    .length = length};

    alloc_count(env, &seen);
}

/* A new array of arrays holds new arrays and nulls only. Tracks it, and them. */
static void count_arrays(JNIEnv *env, jobject array, int skip)
{
    const struct alloc_seen seen = {.object = array, .skip = skip};
    char *signature = NULL;
    jclass klass = (*env)->GetObjectClass(env, array);
    int is_nested = 0;

    if ((*alloc_env())->GetClassSignature(alloc_env(), klass, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        is_nested = signature[0] == '[' && signature[1] == '[';
        (*alloc_env())->Deallocate(alloc_env(), (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, klass);
    alloc_count_once(env, &seen);
    for (jsize i = 0, n = is_nested ? (*env)->GetArrayLength(env, array) : 0; i < n; i++) {
        jobject inner = (*env)->GetObjectArrayElement(env, array, i);

        if (!inner)
            break; /* the dimensions that have a length end here */
        count_arrays(env, inner, skip);
        (*env)->DeleteLocalRef(env, inner);
    }
}

static void JNICALL arrays_made(JNIEnv *env, jclass self, jobject array)
{
    count_arrays(env, array, SKIP_ARRAY);
}

static void JNICALL maybe_made(JNIEnv *env, jclass self, jobject object)
{
    const struct alloc_seen seen = {.object = object, .skip = SKIP_ARRAY};

    if (object)
        alloc_count_once(env, &seen);
}

/* The distance to the next sample: exponential, its mean the interval. */
static int64_t draw(struct slot *s)
{
    enum { RANDOM_BITS = 53 };

    s->random = alloc_mix(s->random + 1, 0x9e3779b97f4a7c15u);
    return 1 - (int64_t)((double)alloc_interval() *
                         expo_log(((double)(s->random >> (64 - RANDOM_BITS)) + 1) /
                                  (double)((uint64_t)1 << RANDOM_BITS)));
}

/* Its counter has run out. In a thread that is new it had not been drawn. */
static int is_sample(jlong at, int64_t weight)
{
    struct slot *s = (struct slot *)(uintptr_t)at;

    if (s->random == 0) {
        s->random = (uint64_t)(s - slots) + 1;
        s->left = draw(s) - weight;
        if (s->left >= 0)
            return 0;
    }
    s->left = draw(s);
    return 1;
}

static void JNICALL sampled(JNIEnv *env, jclass self, jobject object, jlong at, jint length)
{
    const struct alloc_seen seen = {.object = object,
                                    .probability = alloc_probability(0, length),
                                    .skip = length < 0 ? SKIP_OBJECT : SKIP_ARRAY};

    if (is_sample(at, (int64_t)alloc_tracker_weight(0, length)))
        alloc_count(env, &seen);
}

uint64_t alloc_tracker_weight(uint64_t bytes, int64_t length)
{
    return length < 0 ? OBJECT_WEIGHT : ARRAY_WEIGHT + ((uint64_t)length << ELEMENT_SHIFT);
}

static const JNINativeMethod natives[] = {
    {(char *)"objectMade", (char *)"(Ljava/lang/Object;I)V", (void *)object_made},
    {(char *)"arrayMade", (char *)"(Ljava/lang/Object;II)V", (void *)array_made},
    {(char *)"maybeMade", (char *)"(Ljava/lang/Object;)V", (void *)maybe_made},
    {(char *)"arraysMade", (char *)"(Ljava/lang/Object;)V", (void *)arrays_made},
    {(char *)"sampled", (char *)"(Ljava/lang/Object;JI)V", (void *)sampled},
};

enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

/* ---- the class */

struct refs {
    uint16_t get_unsafe, unsafe, get_int, get_long, get_word, put_word, current_thread;
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

static void push_long(struct classwrite *w, int64_t v)
{
    op2(w, LDC2_W, classwrite_long(w, v));
}

static void add_refs(struct classwrite *w, struct refs *r)
{
    uint16_t unsafe = classwrite_class(w, "sun/misc/Unsafe"),
             thread = classwrite_class(w, "java/lang/Thread");

    r->unsafe = classwrite_field_ref(w, w->self, "U", "Lsun/misc/Unsafe;");
    r->get_unsafe = classwrite_method_ref(w, unsafe, "getUnsafe", "()Lsun/misc/Unsafe;");
    r->get_int = classwrite_method_ref(w, unsafe, "getInt", "(Ljava/lang/Object;J)I");
    r->get_long = classwrite_method_ref(w, unsafe, "getLong", "(Ljava/lang/Object;J)J");
    r->get_word = classwrite_method_ref(w, unsafe, "getLong", "(J)J");
    r->put_word = classwrite_method_ref(w, unsafe, "putLong", "(JJ)V");
    r->current_thread = classwrite_method_ref(w, thread, "currentThread", "()Ljava/lang/Thread;");
}

/* U.getInt(o, at) */
static void push_int_of(struct classwrite *w, const struct refs *r, int64_t at)
{
    op2(w, GETSTATIC, r->unsafe);
    op(w, OP_ALOAD_0);
    push_long(w, at);
    op2(w, INVOKEVIRTUAL, r->get_int);
}

/* native(o, U.getInt(o, 8)); of an array: native(o, U.getInt(o, 8), U.getInt(o, LENGTH_AT)); */
static void write_exact(struct classwrite *w, const struct refs *r, const char *name,
                        const char *native, int64_t length_at)
{
    op(w, OP_ALOAD_0);
    push_int_of(w, r, KLASS_AT);
    if (length_at)
        push_int_of(w, r, length_at);
    op2(w, OP_INVOKESTATIC,
        classwrite_method_ref(w, w->self, native,
                              length_at ? "(Ljava/lang/Object;II)V" : "(Ljava/lang/Object;I)V"));
    op(w, RETURN);
    classwrite_method(w, ACC_PUBLIC_STATIC, name, "(Ljava/lang/Object;)V", 6, 1, NULL);
}

/*
 * long at = SLOTS + (U.getLong(Thread.currentThread(), TID) % COUNT << SHIFT);
 * long left = U.getLong(at) - WEIGHT;
 * U.putLong(at, left);
 * if (left < 0) sampled(o, at, LENGTH);
 * where for an array WEIGHT is 16 + (LENGTH << 2), and for an object LENGTH is -1.
 */
static void write_sampled(struct classwrite *w, const struct refs *r, const char *name,
                          int64_t tid_at, int64_t length_at)
{
    enum { ICONST_M1 = 2, BRANCH_OVER = 4 };

    push_long(w, (int64_t)(uintptr_t)slots);
    op2(w, GETSTATIC, r->unsafe);
    op2(w, OP_INVOKESTATIC, r->current_thread);
    push_long(w, tid_at);
    op2(w, INVOKEVIRTUAL, r->get_long);
    push_long(w, SLOTS - 1);
    op(w, LAND);
    op(w, OP_BIPUSH);
    op(w, SLOT_SHIFT);
    op(w, LSHL);
    op(w, LADD);
    op(w, LSTORE_1);
    op2(w, GETSTATIC, r->unsafe);
    op(w, LLOAD_1);
    op2(w, INVOKEVIRTUAL, r->get_word);
    push_long(w, length_at ? ARRAY_WEIGHT : OBJECT_WEIGHT);
    op(w, LSUB);
    if (length_at) {
        push_int_of(w, r, length_at);
        op(w, I2L);
        op(w, OP_ICONST_0 + ELEMENT_SHIFT);
        op(w, LSHL);
        op(w, LSUB);
    }
    op(w, LSTORE_3);
    op2(w, GETSTATIC, r->unsafe);
    op(w, LLOAD_1);
    op(w, LLOAD_3);
    op2(w, INVOKEVIRTUAL, r->put_word);
    op(w, LLOAD_3);
    op(w, LCONST_0);
    op(w, LCMP);
    op2(w, IFLT, BRANCH_OVER);
    op(w, RETURN);
    op(w, OP_ALOAD_0);
    op(w, LLOAD_1);
    if (length_at)
        push_int_of(w, r, length_at);
    else
        op(w, ICONST_M1);
    op2(w, OP_INVOKESTATIC,
        classwrite_method_ref(w, w->self, "sampled", "(Ljava/lang/Object;JI)V"));
    op(w, RETURN);
    classwrite_method(w, ACC_PUBLIC_STATIC, name, "(Ljava/lang/Object;)V", 10, 5, NULL);
}

/* native(o); */
static void write_plain(struct classwrite *w, const char *name, const char *native)
{
    op(w, OP_ALOAD_0);
    op2(w, OP_INVOKESTATIC, classwrite_method_ref(w, w->self, native, "(Ljava/lang/Object;)V"));
    op(w, RETURN);
    classwrite_method(w, ACC_PUBLIC_STATIC, name, "(Ljava/lang/Object;)V", 1, 1, NULL);
}

static void write_class(struct classwrite *w, int64_t tid_at, int64_t length_at)
{
    struct refs r;

    add_refs(w, &r);
    classwrite_field(w, ACC_STATIC_FINAL, "U", "Lsun/misc/Unsafe;");
    op2(w, OP_INVOKESTATIC, r.get_unsafe);
    op2(w, PUTSTATIC, r.unsafe);
    op(w, RETURN);
    classwrite_method(w, ACC_STATIC, "<clinit>", "()V", 1, 0, NULL);
    for (int i = 0; i < NATIVES; i++)
        classwrite_native(w, natives[i].name, natives[i].signature);
    if (alloc_interval()) {
        write_sampled(w, &r, ALLOC_TRACKER_OBJECT, tid_at, 0);
        write_sampled(w, &r, ALLOC_TRACKER_ARRAY, tid_at, length_at);
    } else {
        write_exact(w, &r, ALLOC_TRACKER_OBJECT, "objectMade", 0);
        write_exact(w, &r, ALLOC_TRACKER_ARRAY, "arrayMade", length_at);
    }
    write_plain(w, ALLOC_TRACKER_MAYBE, "maybeMade");
    write_plain(w, ALLOC_TRACKER_ARRAYS, "arraysMade");
}

/* ---- what the code has to know of this VM */

/* Where Thread.tid lies, as Unsafe counts, and the length of an array. Returns whether both are
 * known. */
static int find_places(struct agent *a, JNIEnv *env, int64_t *ret_tid, int64_t *ret_length)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass thread = vm_lookup_class(&l, "java/lang/Thread");
    jint array_base =
        vm_lookup_static_int(&l, vm_lookup_class(&l, "sun/misc/Unsafe"), "ARRAY_BYTE_BASE_OFFSET");

    *ret_tid = vm_lookup_offset(&l, a->vm.release, thread, vm_lookup_field(&l, thread, "tid", "J"));
    *ret_length = array_base - (jint)sizeof(jint);
    return vm_lookup_end(&l);
}

static int define(struct agent *a, JNIEnv *env, int64_t tid_at, int64_t length_at)
{
    static const struct tracker tracker = {ALLOC_TRACKER, natives, NATIVES};
    struct arena arena;
    struct classwrite w;
    const uint8_t *bytes;
    size_t len;
    int result = -1;

    arena_init(&arena, 1 << 20);
    classwrite_begin(&w, &arena, ALLOC_TRACKER, MAJOR);
    write_class(&w, tid_at, length_at);
    if (classwrite_end(&w, &bytes, &len) == 0)
        result = tracker_define(&a->vm, env, &tracker, bytes, len);
    arena_done(&arena);
    return result;
}

int alloc_tracker_define(struct agent *a, JNIEnv *env)
{
    static int was_sampled = -1; /* what the class was made for; -1: there is none yet */
    int is_sampled = alloc_interval() != 0;
    int64_t tid_at, length_at;
    void *memory;

    if (was_sampled >= 0 && was_sampled != is_sampled) {
        log_error("heap=: the first recording of this JVM counted %s: on JDK 8 the next ones do "
                  "the same, %s sample=",
                  was_sampled ? "samples of objects" : "every object",
                  was_sampled ? "give" : "leave out");
        return -1;
    }
    if (was_sampled >= 0)
        return 0;
    memory = pages_map(SLOTS * sizeof(*slots));
    if (!memory || !find_places(a, env, &tid_at, &length_at))
        return -1;
    slots = memory;
    if (define(a, env, tid_at, length_at) != 0)
        return -1;
    was_sampled = is_sampled;
    return 0;
}
