/*
 * tracker.c - see tracker.h.
 *
 * RegisterNatives on a class of java.base warns on the program's standard output unless the caller
 * is a class of the same loader; so it is done inside Class.forName, in the ClassPrepare event that
 * it causes. Source: HotSpot jni.cpp, jni_RegisterNatives.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/tracker.h"
#include <string.h>
#include "base/arena.h"
#include "classfile/classwrite.h"
#include "safe/own_class.h"

enum {
    NAME_MAX_LENGTH = 128,
    BYTES_MAX = 1 << 20, /* while a class is written */
    MAJOR = 49,
};

static const struct tracker *expected; /* the class whose preparation we wait for */
static int is_bound;

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
    char *signature = NULL;
    size_t len = strlen(expected->name);

    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    if (signature[0] == 'L' && strncmp(signature + 1, expected->name, len) == 0 &&
        strcmp(signature + 1 + len, ";") == 0)
        is_bound = (*env)->RegisterNatives(env, klass, expected->natives, expected->native_count) ==
                   JNI_OK;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/* Class.forName(name, true, null). */
static void initialise(JNIEnv *env, const char *name)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Class");
    jmethodID for_name = klass
                             ? (*env)->GetStaticMethodID(
                                   env, klass, "forName",
                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
                             : NULL;
    char dotted[NAME_MAX_LENGTH] = "";
    jstring text;

    for (size_t i = 0; name[i] && i < sizeof(dotted) - 1; i++)
        dotted[i] = name[i] == '/' ? '.' : name[i];
    text = for_name ? (*env)->NewStringUTF(env, dotted) : NULL;
    if (text)
        (*env)->CallStaticObjectMethod(env, klass, for_name, text, JNI_TRUE, NULL);
}

static int define(JNIEnv *env, const struct tracker *t, const void *bytes, size_t len)
{
    return (*env)->DefineClass(env, t->name, NULL, (const jbyte *)bytes, (jsize)len) ? 0 : -1;
}

int tracker_define(JavaVM *vm, JNIEnv *env, const struct tracker *t, const void *bytes, size_t len)
{
    static const jvmtiEventCallbacks callbacks = {.ClassPrepare = on_class_prepare};
    jvmtiEnv *jvmti;

    expected = t;
    is_bound = 0;
    if (!own_class_is(t->name, strlen(t->name)) ||
        (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return -1;
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) ==
            JVMTI_ERROR_NONE &&
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL) ==
            JVMTI_ERROR_NONE &&
        define(env, t, bytes, len) == 0)
        initialise(env, t->name);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        is_bound = 0;
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return is_bound ? 0 : -1;
}

int tracker_define_natives(JavaVM *vm, JNIEnv *env, const struct tracker *t)
{
    struct arena arena;
    struct classwrite w;
    const uint8_t *bytes;
    size_t len;
    int error;

    arena_init(&arena, BYTES_MAX);
    classwrite_begin(&w, &arena, t->name, MAJOR);
    for (int i = 0; i < t->native_count; i++)
        classwrite_native(&w, t->natives[i].name, t->natives[i].signature);
    error = classwrite_end(&w, &bytes, &len);
    if (error == 0)
        error = tracker_define(vm, env, t, bytes, len);
    arena_done(&arena);
    return error;
}
