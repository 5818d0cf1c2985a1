/*
 * stack_source_agct.c - walker=agct: the VM's AsyncGetCallTrace.
 *
 * AsyncGetCallTrace gives a frame as a jmethodID, and only if that id exists already. So when a
 * class is prepared, the ids of all its methods are made by asking for them. AsyncGetCallTrace
 * works only while class load events are on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/stack_source/stack_source.h"
#include "base/err.h"
#include "safe/walk_agct.h"
#include "vm/vm_event.h"

static void make_ids(struct agent *a, jclass klass)
{
    jmethodID *methods = NULL;
    jint count = 0;
    if ((*a->vm.main)->GetClassMethods(a->vm.main, klass, &count, &methods) == JVMTI_ERROR_NONE)
        (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)methods);
}

/* If this thread holds the lock already, an engine loads the class while it starts. */
static void on_class_prepare(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    struct agent *a = data;
    bool is_mine = agent_lock_is_mine(a);
    if (!is_mine && !agent_enter(a))
        return;
    if (a->started && !a->dying)
        make_ids(a, klass);
    if (!is_mine)
        agent_unlock(a);
}

/* Does nothing: the event only has to be on. */
static void on_class_load(void *data, JNIEnv *env, jthread thread, jclass klass)
{
}

static struct vm_event_subscriber on_classes[] = {
    {.event = VM_EVENT_CLASS_LOAD, .on.class_load = on_class_load},
    {.event = VM_EVENT_CLASS_PREPARE, .on.class_prepare = on_class_prepare},
};

enum { CLASS_EVENTS = sizeof(on_classes) / sizeof(on_classes[0]) };

static int prepare(struct agent *a, JNIEnv *env, const struct ring *ring, const char **ret_why)
{
    void *function = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    jclass *classes = NULL;
    jint count = 0;
    if (!function) {
        *ret_why = "it has no AsyncGetCallTrace";
        return E_UNSUPPORTED;
    }
    walk_agct_prepare(function);
    on_classes[1].data = a;
    vm_event_add_all(on_classes, CLASS_EVENTS, NULL);
    if ((*a->vm.main)->GetLoadedClasses(a->vm.main, &count, &classes) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        make_ids(a, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)classes);
    return 0;
}

static void release(void)
{
    vm_event_remove_all(on_classes, CLASS_EVENTS);
}

const struct stack_source stack_source_agct = {
    .name = "agct",
    .help = "the VM's AsyncGetCallTrace: gives up at some moments, needs jmethodIDs",
    .walker = &walk_agct,
    .prepare = prepare,
    .release = release,
};
