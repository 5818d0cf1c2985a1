/*
 * alloc_size.c - see alloc_size.h.
 *
 * The measure of a class whose objects are no arrays is the size itself, which is even. The measure
 * of an array class is odd: 1 + 2 * (the shift of an element). For example, int[] has the measure
 * 5, because an element has 1 << 2 bytes. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_size.h"
#include "safe/hs_layout.h"
#include "vm/vm_lookup.h"

enum { REFERENCES = 64, ALIGNMENT_LEAST = 8 };

static struct {
    uint64_t base, alignment; /* alignment 0: not known */
    uint32_t reference_shift;
} arrays;

/* A java.lang.Class object has a field that tells how many words the object has. Only the VM and
 * Unsafe can read this field. */
static struct {
    jobject unsafe; /* a global reference; NULL: not known */
    jmethodID get_int;
    jlong size_at;
} mirrors;

static uint64_t ask(jvmtiEnv *jvmti, JNIEnv *env, jobject object)
{
    jlong size = 0;
    if (object) {
        (*jvmti)->GetObjectSize(jvmti, object, &size);
        (*env)->DeleteLocalRef(env, object);
    } else {
        vm_lookup_clear(env);
    }
    return (uint64_t)size;
}

/* `size_at` is the address of a static variable in libjvm.so that holds the offset of the field.
 * The VM sets it when it starts. */
static void learn_mirrors(JNIEnv *env, uint64_t size_at)
{
    const volatile int32_t *offset = (const volatile int32_t *)(uintptr_t)size_at;
    struct vm_lookup l;
    jclass klass;
    if (!offset)
        return;
    l = vm_lookup_begin(env);
    klass = vm_lookup_class(&l, "sun/misc/Unsafe");
    mirrors.get_int = vm_lookup_method(&l, klass, "getInt", "(Ljava/lang/Object;J)I");
    vm_lookup_end_with(&l, vm_lookup_static_object(&l, klass, "theUnsafe", "Lsun/misc/Unsafe;"),
                       &mirrors.unsafe);
    mirrors.size_at = mirrors.unsafe ? *offset : 0;
}

uint64_t alloc_size_of_class(JNIEnv *env, jclass klass)
{
    jint words = 0;
    if (mirrors.size_at > 0) {
        words = (*env)->CallIntMethod(env, mirrors.unsafe, mirrors.get_int, klass, mirrors.size_at);
        /* The call fails if the thread's stack has no room. */
        if (vm_lookup_clear(env))
            words = 0;
    }
    return words > 0 ? (uint64_t)words * sizeof(uint64_t) : 0;
}

void alloc_size_prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct hs_layout *vm)
{
    jclass klass = vm_lookup_boot_class(env, "java/lang/Object");
    uint64_t none = ask(jvmti, env, (*env)->NewByteArray(env, 0)),
             one = ask(jvmti, env, (*env)->NewByteArray(env, 1)),
             many =
                 klass ? ask(jvmti, env, (*env)->NewObjectArray(env, REFERENCES, klass, NULL)) : 0;
    if (!mirrors.unsafe)
        learn_mirrors(env, vm ? vm->mirror_size_at : 0);
    (*env)->DeleteLocalRef(env, klass);
    if (none == 0 || one < none + ALIGNMENT_LEAST || many <= none)
        return;
    arrays.base = none;
    arrays.reference_shift = (many - none) / REFERENCES == sizeof(uint64_t) ? 3 : 2;
    arrays.alignment = one - none;
}

static uint32_t shift_of(char element)
{
    switch (element) {
    case 'Z':
    case 'B':
        return 0;
    case 'C':
    case 'S':
        return 1;
    case 'I':
    case 'F':
        return 2;
    case 'J':
    case 'D':
        return 3;
    default:
        return arrays.reference_shift;
    }
}

uint32_t alloc_size_measure(jvmtiEnv *jvmti, jclass klass, uint64_t bytes, int32_t length)
{
    char *signature = NULL;
    uint32_t measure = 0;
    if (!arrays.alignment || bytes > INT32_MAX || (bytes & 1))
        return 0;
    if (length < 0)
        return (uint32_t)bytes;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return 0;
    measure = 1 + 2 * shift_of(signature[1]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return alloc_size_of(measure, length) == bytes ? measure : 0;
}

uint64_t alloc_size_of(uint32_t measure, int32_t length)
{
    uint64_t bytes = arrays.base + ((uint64_t)(uint32_t)length << (measure >> 1));
    return measure & 1 ? (bytes + arrays.alignment - 1) & ~(arrays.alignment - 1) : measure;
}
