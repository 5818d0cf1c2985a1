/*
 * tracker.c - see tracker.h.
 *
 * RegisterNatives on a class of java.base prints a warning on the program's standard output unless
 * the caller is a class of the same loader. So RegisterNatives is called inside Class.forName, in
 * the ClassPrepare event that Class.forName causes. Source: HotSpot jni.cpp, jni_RegisterNatives.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/tracker.h"
#include <stdbool.h>
#include <string.h>
#include "base/arena.h"
#include "classfile/classwrite.h"
#include "safe/own_class.h"
#include "vm/vm.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"

enum {
    NAME_MAX_LENGTH = 128,
    BYTES_MAX = 1 << 20, /* memory while a class is written */
    MAJOR = 49,
};

static const struct tracker *expected; /* the class whose ClassPrepare event is awaited */
static bool is_bound;

static void on_class_prepare(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    const struct vm *vm = data;
    jvmtiEnv *jvmti = vm->main;
    char *signature = NULL;
    size_t len = strlen(expected->name);
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    if (signature[0] == 'L' && strncmp(signature + 1, expected->name, len) == 0 &&
        strcmp(signature + 1 + len, ";") == 0)
        is_bound = (*env)->RegisterNatives(env, klass, expected->natives, expected->native_count) ==
                       JNI_OK &&
                   (!expected->bind_others || expected->bind_others(env));
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/* Call Class.forName(name, true, null). */
static void initialise(struct vm_lookup *l, const char *name)
{
    char dotted[NAME_MAX_LENGTH] = "";
    jclass klass = vm_lookup_class(l, "java/lang/Class");
    jmethodID for_name = vm_lookup_static_method(
        l, klass, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    for (size_t i = 0; name[i] && i < sizeof(dotted) - 1; i++)
        dotted[i] = name[i] == '/' ? '.' : name[i];
    vm_lookup_call_static_object(l, klass, for_name, vm_lookup_string(l, dotted), JNI_TRUE, NULL);
}

void JNICALL tracker_caught_nothing(JNIEnv *env, jclass klass, jlong kept)
{
}

int tracker_define(const struct vm *vm, JNIEnv *env, const struct tracker *t, const void *bytes,
                   size_t len)
{
    static struct vm_event_subscriber on_prepare = {.event = VM_EVENT_CLASS_PREPARE,
                                                    .on.class_prepare = on_class_prepare};
    struct vm_lookup l;
    expected = t;
    is_bound = false;
    on_prepare.data = (void *)vm;
    if (!own_class_is(t->name, strlen(t->name)) || vm_event_add(&on_prepare, NULL) != 0)
        return -1;
    l = vm_lookup_begin(env);
    if (!(*env)->DefineClass(env, t->name, NULL, (const jbyte *)bytes, (jsize)len))
        l.failed = true;
    initialise(&l, t->name);
    vm_event_remove(&on_prepare);
    return vm_lookup_end(&l) && is_bound ? 0 : -1;
}

int tracker_define_natives(const struct vm *vm, JNIEnv *env, struct tracker *t)
{
    struct arena arena;
    struct classwrite w;
    const uint8_t *bytes;
    size_t len;
    int error;
    if (t->is_defined)
        return 0;
    arena_init(&arena, BYTES_MAX);
    classwrite_begin(&w, &arena, t->name, MAJOR);
    for (int i = 0; i < t->native_count; i++)
        classwrite_native(&w, t->natives[i].name, t->natives[i].signature);
    error = classwrite_end(&w, &bytes, &len);
    if (error == 0)
        error = tracker_define(vm, env, t, bytes, len);
    arena_done(&arena);
    t->is_defined = error == 0;
    return error;
}
