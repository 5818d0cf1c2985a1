/*
 * injector_looks.c - see injector_looks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector_looks.h"

enum { DEPTH = 12, THREADS_SEEN_MAX = 256 };

static void look_at(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiStackInfo *s,
                    void (*seen)(jvmtiEnv *jvmti, jclass klass))
{
    for (jint i = 0; i < s->frame_count; i++) {
        jclass klass = NULL;
        if ((*jvmti)->GetMethodDeclaringClass(jvmti, s->frame_buffer[i].method, &klass) !=
            JVMTI_ERROR_NONE)
            continue;
        seen(jvmti, klass);
        (*env)->DeleteLocalRef(env, klass);
    }
}

void injector_looks_take(jvmtiEnv *jvmti, JNIEnv *env, void (*seen)(jvmtiEnv *jvmti, jclass klass))
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0, runnable = 0;
    if ((*env)->PushLocalFrame(env, 16) != JNI_OK) /* one more reference for each thread */
        return;
    if ((*jvmti)->GetAllStackTraces(jvmti, DEPTH, &stacks, &count) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count && runnable < THREADS_SEEN_MAX; i++) {
            if (!(stacks[i].state & JVMTI_THREAD_STATE_RUNNABLE))
                continue;
            runnable++;
            look_at(jvmti, env, &stacks[i], seen);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    }
    (*env)->PopLocalFrame(env, NULL);
}
