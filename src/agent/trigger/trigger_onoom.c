/*
 * trigger_onoom.c - onoom=y: the VM has run out of memory, or of threads.
 *
 * The VM tells of it on the thread that asked for memory, before it throws the OutOfMemoryError;
 * one that a program makes itself is none. docs/triggers.md. SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/stack_lines.h"
#include "agent/trigger/trigger.h"
#include "agent/trigger/trigger_said.h"
#include "agent/trigger/trigger_set.h"
#include "agent/trigger/trigger_thread.h"
#include "base/err.h"
#include "options/options_onoom.h"
#include "vm/vm_event.h"

extern const struct trigger trigger_onoom;

enum { SETTLE_MS = 2000 };

static struct agent *agent;

static void on_exhausted(void *data, JNIEnv *env, jint flags, const void *reserved,
                         const char *description)
{
    jvmtiEnv *jvmti = agent->vm.main;
    char thread[TRIGGER_SAID_THREAD];
    struct trigger_watch *w;

    for (int at = 0; (w = trigger_set_next(&trigger_onoom, &at)) != NULL;) {
        char *what;

        if (!trigger_is_live(w))
            continue;
        trigger_said_thread(jvmti, env, thread);
        if (asprintf(&what, "the VM has run out: %s, in the thread \"%s\"",
                     description ? description : "memory", thread) > 0)
            trigger_thread_fire(w, what, stack_lines_here(stack_lines_env(agent), env, NULL));
    }
}

/* Two capabilities: of the heap, and of threads. */
static struct vm_event_subscriber heard = {.event = VM_EVENT_EXHAUSTED,
                                           .on.exhausted = on_exhausted};

static int load(struct agent *a, const struct trigger_watch *w)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];

    agent = a;
    (void)vm_env_ask(&a->vm, a->vm.main, VM_CAN_GENERATE_RESOURCE_EXHAUSTION_THREADS_EVENTS, NULL);
    if (vm_event_want(VM_CAN_GENERATE_RESOURCE_EXHAUSTION_HEAP_EVENTS, &why) == 0)
        return 0;
    log_error("onoom=: %s", vm_env_say(&why, text));
    return E_UNSUPPORTED;
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    return vm_event_add(&heard, NULL);
}

static void disarm(struct agent *a)
{
    vm_event_remove(&heard);
}

static int release(struct agent *a)
{
    if (vm_event_settle(SETTLE_MS))
        return 0;
    log_error("onoom=: an event of the VM is still being handled");
    return E_VM_STATE;
}

const struct trigger trigger_onoom = {
    .name = "onoom",
    .options = &options_onoom,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
