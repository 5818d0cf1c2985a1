/*
 * verdict.h - an agent whose natives compare with JVM TI, and return what was wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <asgst.h>
#include <asgst_ready.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>
#include "why.h"

static jvmtiEnv *ti;

/* The library would be ready by itself a little later; nothing here may be lost. */
static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    ASGST_WaitUntilReady(-1);
}

static jint agent_start(JavaVM *vm, const jvmtiCapabilities *want)
{
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof(callbacks));
    callbacks.VMInit = on_vm_init;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*ti)->AddCapabilities(ti, want) != JVMTI_ERROR_NONE ||
        (*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) !=
            JVMTI_ERROR_NONE)
        return JNI_ERR;
    return JNI_OK;
}

#endif
