/*
 * nativelock_loop.c - see nativelock.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/nativelock/nativelock.h"
#include "imports/imports_follow.h"
#include "safe/lockhook.h"

enum { LAP_MS = 100 };

void JNICALL nativelock_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct nativelock *n = argument;
    struct agent *a = n->agent;
    struct imports_follow follow = {0};
    lockhook_exempt();
    threads_begin_agent(a, jvmti, env);
    while (!n->stop) {
        bell_wait(&n->wake, LAP_MS);
        if (n->stop)
            break;
        frame_native_look();
        if (n->follows)
            imports_follow_look(&follow, &n->imports);
        agent_lock(a);
        if (!n->stop)
            nativelock_drain(n);
        agent_unlock(a);
    }
    bell_ring(&n->stopped);
}
