/*
 * walkers.c - see walkers.h.
 *
 * AsyncGetCallTrace gives a frame as a jmethodID, and only if that id exists already: so it is
 * asked for when a class is prepared, for all its methods. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/walkers.h"
#include <dlfcn.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names.h"
#include "safe/walk_agct.h"

static const struct walker *chosen;

static void make_method_ids(struct agent *a, jclass klass)
{
    jmethodID *methods = NULL;
    jint count = 0;

    if ((*a->jvmti)->GetClassMethods(a->jvmti, klass, &count, &methods) == JVMTI_ERROR_NONE)
        (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)methods);
}

static void make_all_method_ids(struct agent *a, JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0;

    if ((*a->jvmti)->GetLoadedClasses(a->jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        make_method_ids(a, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)classes);
}

static const struct walker *prepare_agct(struct agent *a, JNIEnv *env)
{
    void *function = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");

    if (!function) {
        log_error("this VM has no AsyncGetCallTrace: cpu=samples needs HotSpot");
        return NULL;
    }
    walk_agct_prepare(function);
    chosen = &walk_agct;
    make_all_method_ids(a, env);
    return &walk_agct;
}

const struct walker *walkers_prepare(struct agent *a, JNIEnv *env, const char *name)
{
    if (name[0] && strcmp(name, walk_agct.name) != 0) {
        log_error("no walker %s: use agct", name);
        return NULL;
    }
    return prepare_agct(a, env);
}

void walkers_class_prepare(struct agent *a, jclass klass)
{
    if (chosen == &walk_agct)
        make_method_ids(a, klass);
}

frame_id walkers_frame(struct agent *a, const struct walker *walker, const struct walk_frame *frame)
{
    if (!frame->method)
        return 0;
    return names_frame(a, (jmethodID)(uintptr_t)frame->method, frame->bci);
}
