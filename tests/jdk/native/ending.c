/*
 * ending.c - somebody else's agent that makes objects on threads whose end has been told already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <stddef.h>

enum { OBJECTS = 100 };

static void make_objects(JNIEnv *env)
{
    for (int i = 0; i < OBJECTS; i++) {
        jobject made = (*env)->NewByteArray(env, 16);
        (*env)->DeleteLocalRef(env, made);
    }
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti, (void)thread;
    make_objects(env);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    make_objects(env);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiEventCallbacks callbacks = {.ThreadEnd = on_thread_end, .VMDeath = on_vm_death};
    jvmtiEnv *jvmti;
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
