/*
 * nativemem_loop.c - see nativemem.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/nativemem/nativemem.h"
#include "imports/imports_follow.h"
#include "safe/memhook.h"

enum { LAP_MS = 100 };

void JNICALL nativemem_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct nativemem *n = argument;
    struct agent *a = n->agent;
    struct imports_follow follow = {0};
    memhook_exempt();
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
            nativemem_drain(n);
        agent_unlock(a);
    }
    bell_ring(&n->stopped);
}
