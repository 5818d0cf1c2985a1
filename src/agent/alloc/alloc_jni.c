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

int alloc_jni_start(jvmtiEnv *jvmti)
{
    jniNativeInterface *ours = NULL;

    if ((*jvmti)->GetJNIFunctionTable(jvmti, &vm) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetJNIFunctionTable(jvmti, &ours) != JVMTI_ERROR_NONE)
        return -1;
    ours->AllocObject = alloc_object;
    ours->NewString = new_string;
    ours->NewStringUTF = new_string_utf;
    ours->NewObjectArray = new_object_array;
    ours->NewBooleanArray = new_boolean_array;
    ours->NewByteArray = new_byte_array;
    ours->NewCharArray = new_char_array;
    ours->NewShortArray = new_short_array;
    ours->NewIntArray = new_int_array;
    ours->NewLongArray = new_long_array;
    ours->NewFloatArray = new_float_array;
    ours->NewDoubleArray = new_double_array;
    return (*jvmti)->SetJNIFunctionTable(jvmti, ours) == JVMTI_ERROR_NONE ? 0 : -1;
}
