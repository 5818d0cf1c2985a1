/*
 * marker.c - somebody else's agent with a class load hook: class Marked says "marked!!".
 *
 * Options: retransform (its environment has can_retransform_classes), slow (so it has, and needs
 * seconds for the class when that is changed), plain (it has not: its change is a part of the class
 * for all who come later). SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SLOW_S = 4 };

static bool is_slow;

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    static const char before[] = "\1\0\10unmarked", behind[] = "\1\0\10marked!!";
    enum { SIZE = sizeof(before) - 1 };
    (void)env, (void)loader, (void)domain;
    if (!name || strcmp(name, "Marked") != 0 ||
        (*jvmti)->Allocate(jvmti, len, new_bytes) != JVMTI_ERROR_NONE)
        return;
    if (redefined && is_slow)
        sleep(SLOW_S);
    memcpy(*new_bytes, bytes, (size_t)len);
    *new_len = len;
    for (jint at = 0; at + SIZE <= len; at++)
        if (memcmp(*new_bytes + at, before, SIZE) == 0)
            memcpy(*new_bytes + at, behind, SIZE);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    is_slow = options && strcmp(options, "slow") == 0;
    const jvmtiCapabilities wanted = {
        .can_retransform_classes = is_slow || (options && strcmp(options, "retransform") == 0),
        .can_generate_all_class_hook_events = 1,
    };
    const jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class};
    jvmtiEnv *jvmti;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) !=
            JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                           NULL) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    return JNI_OK;
}
