/*
 * net_summary.c - see net_summary.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/net/net_summary.h"
#include <jvmti.h>
#include <string.h>
#include "agent/agent.h"
#include "base/err.h"
#include "profile/profile.h"

/* In the VM's pause: no JVM TI, no malloc. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *user)
{
    struct profile_site *total = user;

    total->live_objects++;
    total->live_bytes += (uint64_t)size;
    return JVMTI_VISIT_OBJECTS;
}

int net_summary_count(struct agent *a, struct profile_site *ret)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    jvmtiCapabilities walk;
    jvmtiEnv *jvmti = NULL;
    int error = E_UNSUPPORTED;

    /* An environment of its own: HotSpot gives this capability at any time, and who has it pays. */
    if ((*a->vm)->GetEnv(a->vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return error;
    memset(&walk, 0, sizeof(walk));
    walk.can_tag_objects = 1;
    if ((*jvmti)->AddCapabilities(jvmti, &walk) == JVMTI_ERROR_NONE &&
        (*jvmti)->IterateThroughHeap(jvmti, 0, NULL, &callbacks, ret) == JVMTI_ERROR_NONE)
        error = 0;
    (*jvmti)->DisposeEnvironment(jvmti);
    return error;
}
