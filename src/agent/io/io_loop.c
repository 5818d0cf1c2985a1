/*
 * io_loop.c - see io.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/io/io.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "imports/imports_follow.h"

enum { LAP_MS = 100 };

void JNICALL io_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct io *io = argument;
    struct agent *a = io->agent;
    struct imports_follow follow = {0};
    threads_begin_agent(a, jvmti, env);
    while (!io->stop) {
        bell_wait(&io->wake, LAP_MS);
        if (io->stop)
            break;
        frame_native_look();
        if (io->follows)
            imports_follow_look(&follow, &io->imports);
        agent_lock(a);
        if (!io->stop)
            io_drain(io);
        agent_unlock(a);
    }
    bell_ring(&io->stopped);
}
