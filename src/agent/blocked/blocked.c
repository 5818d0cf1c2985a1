/*
 * blocked.c - see blocked.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/blocked/blocked.h"
#include <stdio.h>
#include "agent/agent.h"
#include "agent/names/threads.h"

string_id blocked_text(struct agent *a, const char *class_name, enum blocked_by by)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s (%s)", class_name, by == BLOCKED_PARK ? "Park" : "Java");
    return profile_cstring(a->profile, text);
}

struct thread *blocked_thread(struct agent *a, JNIEnv *env, jthread thread)
{
    struct thread *t = threads_find(thread);
    if (!t && !agent_lock_is_mine(a) &&
        (thread || (*a->vm.main)->GetCurrentThread(a->vm.main, &thread) == JVMTI_ERROR_NONE) &&
        agent_enter(a)) {
        t = a->closed ? NULL : threads_enter(a, env, thread, 0);
        agent_unlock(a);
    }
    return t && !t->vm->is_own ? t : NULL;
}
