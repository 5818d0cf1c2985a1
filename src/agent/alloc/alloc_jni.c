/*
 * alloc_jni.c - see alloc_jni.h.
 *
 * Each function calls the VM's function and counts the object that this returns. NewObject is not
 * replaced, because it runs a constructor. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_jni.h"
#include "agent/alloc/alloc.h"
#include "vm/jni_table.h"

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

int alloc_jni_start(jvmtiEnv *jvmti)
{
    return jni_table_put(jvmti, functions, FUNCTIONS, &vm);
}

void alloc_jni_stop(jvmtiEnv *jvmti)
{
    jni_table_take(jvmti, functions, FUNCTIONS, vm);
}
