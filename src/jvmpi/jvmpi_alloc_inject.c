/*
 * jvmpi_alloc_inject.c - see jvmpi_alloc_inject.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_alloc_inject.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stddef.h>
#include "base/err.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_unweave.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vmself.h"

#define TRACKER OWN_CLASS("Made")

static jvmpi_alloc_inject_seen *_Atomic heard; /* NULL: allocations are not reported */

static void pass_on(JNIEnv *env, jobject object)
{
    jvmpi_alloc_inject_seen *seen = atomic_load_explicit(&heard, memory_order_acquire);
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jlong bytes = 0;
    jclass klass;
    if (!seen || !object)
        return;
    klass = (*env)->GetObjectClass(env, object);
    (*jvmti)->GetObjectSize(jvmti, object, &bytes);
    seen(env, object, klass, (uint64_t)bytes, NULL);
    (*env)->DeleteLocalRef(env, klass);
}

static void JNICALL made(JNIEnv *env, jclass self, jobject object)
{
    pass_on(env, object);
}

/* Report an array of arrays, and the arrays in it that the same instruction has made. */
static void JNICALL made_arrays(JNIEnv *env, jclass self, jobjectArray array)
{
    jclass of_arrays = vm_lookup_boot_class(env, "[Ljava/lang/Object;");
    pass_on(env, array);
    if (array && of_arrays && (*env)->IsInstanceOf(env, array, of_arrays)) {
        for (jsize i = 0; i < (*env)->GetArrayLength(env, array); i++) {
            jobject inner = (*env)->GetObjectArrayElement(env, array, i);
            if (inner)
                made_arrays(env, self, inner);
            (*env)->DeleteLocalRef(env, inner);
        }
    }
    (*env)->DeleteLocalRef(env, of_arrays);
}

/* A call has returned an object that may be new. If every object has an id, an object without an id
 * is new. */
static void JNICALL made_perhaps(JNIEnv *env, jclass self, jobject object)
{
    if (object && jvmpi_send_promised(JVMPI_EVENT_OBJECT_ALLOC) && !jvmpi_ids_known(object))
        pass_on(env, object);
}

static const JNINativeMethod natives[] = {
    {(char *)"object", (char *)"(Ljava/lang/Object;)V", (void *)made},
    {(char *)"array", (char *)"(Ljava/lang/Object;)V", (void *)made},
    {(char *)"arrays", (char *)"(Ljava/lang/Object;)V", (void *)made_arrays},
    {(char *)"maybe", (char *)"(Ljava/lang/Object;)V", (void *)made_perhaps},
};
static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_TRACKER ? -1 : 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .object = "object",
    .array = "array",
    .arrays = "arrays",
    .maybe = "maybe",
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};
static struct injector_user user = {.probe = &probe, .layer = INJECTOR_EVENTS};

static void on_vm_object(void *data, JNIEnv *env, jthread thread, jobject object, jclass klass,
                         jlong size)
{
    jvmpi_alloc_inject_seen *seen = atomic_load_explicit(&heard, memory_order_acquire);
    if (seen)
        seen(env, object, klass, (uint64_t)size, NULL);
}

static struct vm_event_subscriber on_object = {.event = VM_EVENT_VM_OBJECT,
                                               .on.vm_object = on_vm_object};

int jvmpi_alloc_inject_on(JNIEnv *env, jvmpi_alloc_inject_seen *seen)
{
    static bool is_defined;
    if (!is_defined) {
        /* otherwise its objects would run no constructor */
        vmself_turn_off("OptimizeStringConcat");
        if (injector_open(&jvmpi_bridge.vm) != 0 ||
            tracker_define_natives(&jvmpi_bridge.vm, env, &tracker) != 0)
            return E_UNSUPPORTED;
        is_defined = true;
    }
    atomic_store(&heard, seen);
    vm_event_add(&on_object, NULL);
    if (injector_add(&user) != 0)
        return E_UNSUPPORTED;
    injector_apply(env);
    return 0;
}

void jvmpi_alloc_inject_off(void)
{
    atomic_store(&heard, NULL);
    vm_event_remove(&on_object);
    jvmpi_unweave(&user);
}
