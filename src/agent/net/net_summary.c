/*
 * net_summary.c - see net_summary.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/net/net_summary.h"
#include <jvmti.h>
#include "agent/agent.h"
#include "base/err.h"
#include "format/writer_sites.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"

/* Runs in a pause of the VM: no JVM TI, no malloc. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *user)
{
    uint64_t *total = user;
    if (vm_heap_is_flat(tag))
        return JVMTI_VISIT_OBJECTS;
    total[WRITER_SITES_LIVE_OBJECTS]++;
    total[WRITER_SITES_LIVE_BYTES] += (uint64_t)size;
    return JVMTI_VISIT_OBJECTS;
}

int net_summary_count(struct agent *a, uint64_t ret_total[KIND_VALUES])
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    jvmtiEnv *jvmti = NULL;
    jvmtiError error;
    if (vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &jvmti, NULL) != 0)
        return E_UNSUPPORTED;
    error = vm_heap_iterate(jvmti, 0, &callbacks, ret_total);
    vm_env_close(jvmti);
    return error == JVMTI_ERROR_NONE ? 0 : E_UNSUPPORTED;
}
