/*
 * starting.c - an agent that keeps the VM in its start phase for some seconds.
 *
 * The VM then obeys tools that load agents, but gives no environments of JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <stdio.h>
#include <unistd.h>

enum { SECONDS = 3 };

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    puts("starting");
    fflush(stdout);
    sleep(SECONDS);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.VMStart = on_start};
    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    return (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL) ==
                   JVMTI_ERROR_NONE
               ? JNI_OK
               : JNI_ERR;
}
