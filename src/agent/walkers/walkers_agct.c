/*
 * walkers_agct.c - walker=agct: the VM's AsyncGetCallTrace.
 *
 * It gives a frame as a jmethodID, and only if that id exists already: so it is asked for when a
 * class is prepared, for all its methods. It works only while class load events are on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include "agent/agent.h"
#include "agent/names.h"
#include "agent/walkers/walkers.h"
#include "base/err.h"
#include "safe/walk_agct.h"

static void class_prepare(struct agent *a, jclass klass)
{
    jmethodID *methods = NULL;
    jint count = 0;

    if ((*a->jvmti)->GetClassMethods(a->jvmti, klass, &count, &methods) == JVMTI_ERROR_NONE)
        (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)methods);
}

static int prepare(struct agent *a, JNIEnv *env, const char **ret_why)
{
    void *function = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    jclass *classes = NULL;
    jint count = 0;

    if (!function) {
        *ret_why = "it has no AsyncGetCallTrace";
        return E_UNSUPPORTED;
    }
    walk_agct_prepare(function);
    agent_enable(a, JVMTI_EVENT_CLASS_LOAD);
    agent_enable(a, JVMTI_EVENT_CLASS_PREPARE);
    if ((*a->jvmti)->GetLoadedClasses(a->jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        class_prepare(a, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)classes);
    return 0;
}

static frame_id frame(struct agent *a, const struct walk_frame *f)
{
    return f->method ? names_frame(a, (jmethodID)(uintptr_t)f->method, f->bci) : 0;
}

const struct walkers walkers_agct = {
    .name = "agct",
    .help = "the VM's AsyncGetCallTrace: gives up at some moments, needs jmethodIDs",
    .walker = &walk_agct,
    .prepare = prepare,
    .frame = frame,
    .class_prepare = class_prepare,
};
