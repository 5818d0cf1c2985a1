/*
 * alloc_jni.c - see alloc_jni.h.
 *
 * Each function calls the VM's and counts what it returns. NewObject needs none: it runs a
 * constructor. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_jni.h"
#include "agent/alloc/alloc.h"

static jniNativeInterface *vm; /* the functions that were there before; never freed */

static jobject made(JNIEnv *env, jobject object)
{
    const struct alloc_seen seen = {.object = object};

    if (object)
        alloc_count_once(env, &seen);
    return object;
}

/* A string, and its array of characters. */
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

/* Each function that we put before one of the VM's: X(its name, ours). */
#define FUNCTIONS                                                                                  \
    X(AllocObject, alloc_object)                                                                   \
    X(NewString, new_string)                                                                       \
    X(NewStringUTF, new_string_utf)                                                                \
    X(NewObjectArray, new_object_array)                                                            \
    X(NewBooleanArray, new_boolean_array)                                                          \
    X(NewByteArray, new_byte_array)                                                                \
    X(NewCharArray, new_char_array)                                                                \
    X(NewShortArray, new_short_array)                                                              \
    X(NewIntArray, new_int_array)                                                                  \
    X(NewLongArray, new_long_array)                                                                \
    X(NewFloatArray, new_float_array)                                                              \
    X(NewDoubleArray, new_double_array)

/* The table of before is kept for ever, and used at each start: a thread may be in one of ours. */
int alloc_jni_start(jvmtiEnv *jvmti)
{
    jniNativeInterface *ours = NULL;
    int error = -1;

    if ((!vm && (*jvmti)->GetJNIFunctionTable(jvmti, &vm) != JVMTI_ERROR_NONE) ||
        (*jvmti)->GetJNIFunctionTable(jvmti, &ours) != JVMTI_ERROR_NONE)
        return -1;
#define X(name, function) ours->name = function;
    FUNCTIONS
#undef X
    if ((*jvmti)->SetJNIFunctionTable(jvmti, ours) == JVMTI_ERROR_NONE)
        error = 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ours);
    return error;
}

void alloc_jni_stop(jvmtiEnv *jvmti)
{
    jniNativeInterface *now = NULL;

    if (!vm || (*jvmti)->GetJNIFunctionTable(jvmti, &now) != JVMTI_ERROR_NONE)
        return;
#define X(name, function)                                                                          \
    if (now->name == (function))                                                                   \
        now->name = vm->name;
    FUNCTIONS
#undef X
        (*jvmti)
            ->SetJNIFunctionTable(jvmti, now);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)now);
}
