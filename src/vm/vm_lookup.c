/*
 * vm_lookup.c - see vm_lookup.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_lookup.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include "safe/release.h"

enum { REFERENCES = 16 };

bool vm_lookup_clear(JNIEnv *env)
{
    if (!(*env)->ExceptionCheck(env))
        return false;
    (*env)->ExceptionClear(env);
    return true;
}

/* Note the result of a question. Returns whether the lookup still has no failure. */
static bool check(struct vm_lookup *l, bool is_found)
{
    if (!is_found)
        l->failed = true;
    if (vm_lookup_clear(l->env))
        l->failed = true;
    return !l->failed;
}

struct vm_lookup vm_lookup_begin(JNIEnv *env)
{
    struct vm_lookup l = {.env = env};
    l.has_frame = (*env)->PushLocalFrame(env, REFERENCES) == JNI_OK;
    check(&l, l.has_frame);
    return l;
}

bool vm_lookup_end(struct vm_lookup *l)
{
    check(l, true);
    if (l->has_frame)
        (*l->env)->PopLocalFrame(l->env, NULL);
    l->has_frame = false;
    return !l->failed;
}

bool vm_lookup_end_with(struct vm_lookup *l, jobject kept, jobject *ret)
{
    *ret = l->failed || !kept ? NULL : (*l->env)->NewGlobalRef(l->env, kept);
    check(l, *ret != NULL);
    return vm_lookup_end(l);
}

/* A function of the VM's library; FindClass() of JNI if a program does not let others see the
 * symbols of that library. */
static jclass (*_Atomic finder)(JNIEnv *env, const char *name);

static void bind_finder(JNIEnv *env)
{
    jclass (*found)(JNIEnv *, const char *) = (*env)->FindClass;
    void *symbol = dlsym(RTLD_DEFAULT, "JVM_FindClassFromBootLoader");
    if (symbol)
        memcpy(&found, &symbol, sizeof(found));
    atomic_store(&finder, found);
}

jclass vm_lookup_boot_class(JNIEnv *env, const char *name)
{
    if (!atomic_load(&finder))
        bind_finder(env);
    return atomic_load(&finder)(env, name);
}

jclass vm_lookup_class(struct vm_lookup *l, const char *name)
{
    jclass klass = l->failed ? NULL : vm_lookup_boot_class(l->env, name);
    return check(l, klass != NULL) ? klass : NULL;
}

jmethodID vm_lookup_method(struct vm_lookup *l, jclass klass, const char *name, const char *desc)
{
    jmethodID id = l->failed ? NULL : (*l->env)->GetMethodID(l->env, klass, name, desc);
    return check(l, id != NULL) ? id : NULL;
}

jmethodID vm_lookup_static_method(struct vm_lookup *l, jclass klass, const char *name,
                                  const char *desc)
{
    jmethodID id = l->failed ? NULL : (*l->env)->GetStaticMethodID(l->env, klass, name, desc);
    return check(l, id != NULL) ? id : NULL;
}

jfieldID vm_lookup_field(struct vm_lookup *l, jclass klass, const char *name, const char *type)
{
    jfieldID id = l->failed ? NULL : (*l->env)->GetFieldID(l->env, klass, name, type);
    return check(l, id != NULL) ? id : NULL;
}

jobject vm_lookup_static_object(struct vm_lookup *l, jclass klass, const char *name,
                                const char *type)
{
    jfieldID id = l->failed ? NULL : (*l->env)->GetStaticFieldID(l->env, klass, name, type);
    return check(l, id != NULL) ? (*l->env)->GetStaticObjectField(l->env, klass, id) : NULL;
}

jint vm_lookup_static_int(struct vm_lookup *l, jclass klass, const char *name)
{
    jfieldID id = l->failed ? NULL : (*l->env)->GetStaticFieldID(l->env, klass, name, "I");
    return check(l, id != NULL) ? (*l->env)->GetStaticIntField(l->env, klass, id) : 0;
}

jlong vm_lookup_offset(struct vm_lookup *l, int release, jclass klass, jfieldID field)
{
    bool is_internal = release >= RELEASE_INTERNAL_UNSAFE;
    jclass unsafe =
        vm_lookup_class(l, is_internal ? "jdk/internal/misc/Unsafe" : "sun/misc/Unsafe");
    jobject the = vm_lookup_static_object(
        l, unsafe, "theUnsafe", is_internal ? "Ljdk/internal/misc/Unsafe;" : "Lsun/misc/Unsafe;");
    jmethodID offset =
        vm_lookup_method(l, unsafe, "objectFieldOffset", "(Ljava/lang/reflect/Field;)J");
    jobject reflected =
        l->failed ? NULL : (*l->env)->ToReflectedField(l->env, klass, field, JNI_FALSE);
    check(l, reflected != NULL);
    return vm_lookup_call_long(l, the, offset, reflected);
}

jobject vm_lookup_call_object(struct vm_lookup *l, jobject object, jmethodID method, ...)
{
    jobject result = NULL;
    va_list arguments;
    if (l->failed || !object || !method)
        return NULL;
    va_start(arguments, method);
    result = (*l->env)->CallObjectMethodV(l->env, object, method, arguments);
    va_end(arguments);
    return check(l, true) ? result : NULL;
}

jlong vm_lookup_call_long(struct vm_lookup *l, jobject object, jmethodID method, ...)
{
    jlong result;
    va_list arguments;
    if (l->failed || !object || !method)
        return 0;
    va_start(arguments, method);
    result = (*l->env)->CallLongMethodV(l->env, object, method, arguments);
    va_end(arguments);
    return check(l, true) ? result : 0;
}

jobject vm_lookup_call_static_object(struct vm_lookup *l, jclass klass, jmethodID method, ...)
{
    jobject result = NULL;
    va_list arguments;
    if (l->failed || !method)
        return NULL;
    va_start(arguments, method);
    result = (*l->env)->CallStaticObjectMethodV(l->env, klass, method, arguments);
    va_end(arguments);
    return check(l, true) ? result : NULL;
}

void vm_lookup_call_static(struct vm_lookup *l, jclass klass, jmethodID method, ...)
{
    va_list arguments;
    if (l->failed || !method)
        return;
    va_start(arguments, method);
    (*l->env)->CallStaticVoidMethodV(l->env, klass, method, arguments);
    va_end(arguments);
    check(l, true);
}

jobject vm_lookup_new(struct vm_lookup *l, jclass klass, jmethodID constructor, ...)
{
    jobject made = NULL;
    va_list arguments;
    if (l->failed || !constructor)
        return NULL;
    va_start(arguments, constructor);
    made = (*l->env)->NewObjectV(l->env, klass, constructor, arguments);
    va_end(arguments);
    return check(l, made != NULL) ? made : NULL;
}

jstring vm_lookup_string(struct vm_lookup *l, const char *text)
{
    jstring made = l->failed ? NULL : (*l->env)->NewStringUTF(l->env, text);
    return check(l, made != NULL) ? made : NULL;
}
