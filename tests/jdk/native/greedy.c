/*
 * greedy.c - an agent that came first and has what one agent alone can have: it may suspend threads
 * and, from JDK 11 on, hears of sampled allocations.
 *
 * Option "monitors": the VM has nothing to tell of monitors either. All environments share one
 * table of functions, in which a function of ours takes that out of what the VM offers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <string.h>

static jvmtiError(JNICALL *vm_offers)(jvmtiEnv *jvmti, jvmtiCapabilities *ret);

static jvmtiError JNICALL offers(jvmtiEnv *jvmti, jvmtiCapabilities *ret)
{
    jvmtiError error = vm_offers(jvmti, ret);
    ret->can_generate_monitor_events = 0;
    return error;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities offered, wanted = {.can_suspend = 1};
    struct jvmtiInterface_1_ *table;
    jvmtiEnv *jvmti;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->GetPotentialCapabilities(jvmti, &offered) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    wanted.can_generate_sampled_object_alloc_events =
        offered.can_generate_sampled_object_alloc_events;
    if (options && strcmp(options, "monitors") == 0) {
        table = (struct jvmtiInterface_1_ *)*jvmti;
        vm_offers = table->GetPotentialCapabilities;
        table->GetPotentialCapabilities = offers;
    }
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}
