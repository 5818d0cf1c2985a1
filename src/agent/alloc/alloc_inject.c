/*
 * alloc_inject.c - a source of allocations: injected code reports them in a VM that has no sampler
 * (JDK 8).
 *
 * Almost every object passes the constructor of java.lang.Object, and almost every array is made by
 * an instruction for arrays. The others are reported by the event VMObjectAlloc, by the functions
 * of JNI that are replaced here, or by code that is injected behind the call that returns them. See
 * docs/allocation.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_code.h"
#include "agent/alloc/alloc_size.h"
#include "agent/alloc/alloc_source.h"
#include "agent/alloc/alloc_stack.h"
#include "base/err.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/injector_later.h"
#include "vm/jni_table.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

/* ---- objects that native code makes by JNI without a constructor: arrays and strings */

/*
 * Each function calls the VM's function and counts the object that this returns. NewObject is not
 * replaced, because it runs a constructor.
 */

static jniNativeInterface *vm; /* the functions that were in the table before */

static jobject made(JNIEnv *env, jobject object)
{
    const struct alloc_seen seen = {.object = object};
    if (object)
        alloc_count_once(env, &seen);
    return object;
}

/* Counts a string and its array of characters. */
static jstring made_string(JNIEnv *env, jstring string)
{
    static jfieldID value;
    jclass klass;
    jobject array;
    if (!string)
        return NULL;
    made(env, string);
    if (!value) {
        klass = vm->GetObjectClass(env, string);
        value = vm->GetFieldID(env, klass, "value", "[C");
        vm->DeleteLocalRef(env, klass);
    }
    array = value ? vm->GetObjectField(env, string, value) : NULL;
    if (array) {
        made(env, array);
        vm->DeleteLocalRef(env, array);
    }
    return string;
}

static jobject JNICALL alloc_object(JNIEnv *env, jclass klass)
{
    return made(env, vm->AllocObject(env, klass));
}

static jstring JNICALL new_string(JNIEnv *env, const jchar *text, jsize len)
{
    return made_string(env, vm->NewString(env, text, len));
}

static jstring JNICALL new_string_utf(JNIEnv *env, const char *text)
{
    return made_string(env, vm->NewStringUTF(env, text));
}

static jobjectArray JNICALL new_object_array(JNIEnv *env, jsize len, jclass klass, jobject first)
{
    return made(env, vm->NewObjectArray(env, len, klass, first));
}

#define NEW_ARRAY(name, type, Function)                                                            \
    static type JNICALL name(JNIEnv *env, jsize len)                                               \
    {                                                                                              \
        return made(env, vm->Function(env, len));                                                  \
    }

NEW_ARRAY(new_boolean_array, jbooleanArray, NewBooleanArray)
NEW_ARRAY(new_byte_array, jbyteArray, NewByteArray)
NEW_ARRAY(new_char_array, jcharArray, NewCharArray)
NEW_ARRAY(new_short_array, jshortArray, NewShortArray)
NEW_ARRAY(new_int_array, jintArray, NewIntArray)
NEW_ARRAY(new_long_array, jlongArray, NewLongArray)
NEW_ARRAY(new_float_array, jfloatArray, NewFloatArray)
NEW_ARRAY(new_double_array, jdoubleArray, NewDoubleArray)

static const struct jni_table_row functions[] = {
    JNI_TABLE_ROW(AllocObject, alloc_object),
    JNI_TABLE_ROW(NewString, new_string),
    JNI_TABLE_ROW(NewStringUTF, new_string_utf),
    JNI_TABLE_ROW(NewObjectArray, new_object_array),
    JNI_TABLE_ROW(NewBooleanArray, new_boolean_array),
    JNI_TABLE_ROW(NewByteArray, new_byte_array),
    JNI_TABLE_ROW(NewCharArray, new_char_array),
    JNI_TABLE_ROW(NewShortArray, new_short_array),
    JNI_TABLE_ROW(NewIntArray, new_int_array),
    JNI_TABLE_ROW(NewLongArray, new_long_array),
    JNI_TABLE_ROW(NewFloatArray, new_float_array),
    JNI_TABLE_ROW(NewDoubleArray, new_double_array),
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* ---- injected code and events */

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

static const struct instrument_probe probe = {
    .tracker = ALLOC_TRACKER,
    .object = ALLOC_TRACKER_OBJECT,
    .array = ALLOC_TRACKER_ARRAY,
    .arrays = ALLOC_TRACKER_ARRAYS,
    .maybe = ALLOC_TRACKER_MAYBE,
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};

static struct injector_user user = {.probe = &probe,
                                    .layer = INJECTOR_EVENTS,
                                    .code = &alloc_code_makes_arrays,
                                    .tells_left = true};

/* An object that the VM makes for Java code without running Java code, for example by clone() or
 * reflection. */
static void on_vm_object(void *data, JNIEnv *env, jthread thread, jobject object, jclass klass,
                         jlong size)
{
    const struct alloc_seen seen = {.object = object, .klass = klass, .bytes = (uint64_t)size};
    alloc_count_once(env, &seen);
}

/* The java.lang.Class object of a new class, which no Java code makes. The VM has no such event for
 * array classes. */
static void on_class_load(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    const struct alloc_seen seen = {.object = klass, .bytes = alloc_size_of_class(env, klass)};
    alloc_count_once(env, &seen);
}

static struct vm_event_subscriber on_objects[] = {
    {.event = VM_EVENT_VM_OBJECT, .on.vm_object = on_vm_object},
    {.event = VM_EVENT_CLASS_LOAD, .on.class_load = on_class_load},
};
enum { OBJECT_EVENTS = sizeof(on_objects) / sizeof(on_objects[0]) };

/* A VM that has a sampler cannot have the tracker, because there java.base does not see
 * sun.misc.Unsafe. */
static int load(struct agent *a, struct vm_env_refusal *ret_why)
{
    if (a->vm.release >= RELEASE_ALLOCATION_SAMPLER)
        return E_UNSUPPORTED;
    vmself_turn_off("OptimizeStringConcat"); /* with it, strings would pass no constructor */
    *ret_why = (struct vm_env_refusal){VM_CAN_RETRANSFORM_CLASSES, VM_ENV_HAS_NONE};
    if (injector_open(&a->vm) != 0 ||
        vm_event_want(VM_CAN_GENERATE_VM_OBJECT_ALLOC_EVENTS, ret_why) != 0)
        return E_UNSUPPORTED;
    if (!a->attached)
        injector_watch(&user);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    alloc_size_prepare(a->vm.main, env, alloc_stack_layout());
    if (alloc_tracker_define(a, env) != 0 ||
        jni_table_put(a->vm.main, functions, FUNCTIONS, &vm) != 0 ||
        vm_event_add_all(on_objects, OBJECT_EVENTS, NULL) != 0)
        return E_UNSUPPORTED;
    return injector_add(&user);
}

static void stop(void)
{
    vm_event_remove_all(on_objects, OBJECT_EVENTS);
    injector_remove(&user);
}

static uint32_t classes_left(void)
{
    return injector_later_covered(&user).left;
}

static int close_injection(struct agent *a, JNIEnv *env)
{
    /* an entry that another agent has replaced since then stays as it is */
    jni_table_take(a->vm.main, functions, FUNCTIONS, vm);
    return 0;
}

const struct alloc_source alloc_inject = {.name = "injected code",
                                          .load = load,
                                          .start = start,
                                          .stop = stop,
                                          .close = close_injection,
                                          .classes_left = classes_left,
                                          .weight = alloc_tracker_weight};
