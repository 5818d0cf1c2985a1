/*
 * trigger_onoom.c - onoom=y: fires when memory, or threads, have run out.
 *
 * If the VM itself runs out of something, it reports this on the thread that asked for it. Then it
 * throws an OutOfMemoryError that was made without a constructor; only if it has no more threads, a
 * constructor makes the error. If Java code runs out of something, for example memory for direct
 * buffers, it makes an OutOfMemoryError itself. So a call is injected into the constructors of that
 * class. docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/stack_lines.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "base/gate.h"
#include "options/options_group.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_event.h"

extern const struct options_group options_onoom;

extern const struct trigger trigger_onoom;

#define TRACKER OWN_CLASS("Memory")

enum { SETTLE_MS = 2000 };

static struct {
    struct gate gate; /* for the injected calls */
    struct agent *agent;
    /*
     * the thread that the VM has reported as out of threads, and that makes an error for it; 0:
     * none
     */
    _Atomic pid_t thread;
} oom;

/* ---- what the VM tells */

static void on_exhausted(void *data, JNIEnv *env, jint flags, const void *reserved,
                         const char *description)
{
    jvmtiEnv *jvmti = oom.agent->vm.main;
    char thread[TRIGGER_SAID_THREAD];
    struct trigger_watch *w;
    if (flags & JVMTI_RESOURCE_EXHAUSTED_THREADS)
        atomic_store(&oom.thread, gettid());
    for (int at = 0; (w = trigger_set_next(&trigger_onoom, &at)) != NULL;) {
        char *what;
        if (!trigger_is_live(w))
            continue;
        trigger_said_thread(jvmti, env, thread);
        if (asprintf(&what, "the VM has run out: %s, in the thread \"%s\"",
                     description ? description : "memory", thread) > 0)
            trigger_thread_fire(w, what, stack_lines_here(stack_lines_env(oom.agent), env, NULL));
    }
}

/* This event needs two capabilities: one for the heap, one for threads. */
static struct vm_event_subscriber heard = {.event = VM_EVENT_EXHAUSTED,
                                           .on.exhausted = on_exhausted};

/* ---- what Java code makes */

static void tell(JNIEnv *env, jobject object)
{
    jclass klass = (*env)->GetObjectClass(env, object);
    struct trigger_watch *w;
    for (int at = 0; (w = trigger_set_next(&trigger_onoom, &at)) != NULL;)
        if (trigger_is_live(w))
            trigger_thread_fire(w, trigger_said(oom.agent, env, object),
                                stack_lines_here(stack_lines_env(oom.agent), env, klass));
    (*env)->DeleteLocalRef(env, klass);
}

static void JNICALL constructed(JNIEnv *env, jclass klass, jobject object)
{
    pid_t self = gettid();
    _Atomic uint32_t *inside;
    if (!object || atomic_compare_exchange_strong(&oom.thread, &self, 0) ||
        agent_lock_is_mine(oom.agent)) /* our own calls may throw */
        return;
    inside = gate_enter(&oom.gate);
    if (!inside)
        return;
    tell(env, object);
    gate_leave(inside);
}

static const JNINativeMethod natives[] = {
    {(char *)"constructed", (char *)"(Ljava/lang/Object;)V", (void *)constructed},
};

static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_all(void *context, const struct instrument_method *m)
{
    return 0;
}

static bool is_error(const char *class_name)
{
    return strcmp(class_name, "java/lang/OutOfMemoryError") == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .constructed = "constructed",
    .select = select_all,
};

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true,
    .wants = is_error,
};

/* ---- both */

static int load(struct agent *a, const struct trigger_watch *w)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    oom.agent = a;
    (void)injector_open(&a->vm);
    (void)vm_env_ask(&a->vm, a->vm.main, VM_CAN_GENERATE_RESOURCE_EXHAUSTION_THREADS_EVENTS, NULL);
    if (vm_event_want(VM_CAN_GENERATE_RESOURCE_EXHAUSTION_HEAP_EVENTS, &why) == 0)
        return 0;
    log_error("onoom=: %s", vm_env_say(&why, text));
    return E_UNSUPPORTED;
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    if (!injector_env() || tracker_define_natives(&a->vm, env, &tracker) != 0) {
        log_note("onoom=: this VM does not let its classes be changed: an OutOfMemoryError that "
                 "Java code makes, as for direct buffers, does not fire");
    } else {
        gate_open(&oom.gate);
        (void)injector_add(&injected);
    }
    return vm_event_add(&heard, NULL);
}

static void disarm(struct agent *a)
{
    vm_event_remove(&heard);
    injector_remove(&injected);
}

static int release(struct agent *a)
{
    if (vm_event_settle(SETTLE_MS) && gate_close(&oom.gate, SETTLE_MS))
        return 0;
    log_error("onoom=: an event of the VM is still being handled");
    return E_VM_STATE;
}

const struct trigger trigger_onoom = {
    .name = "onoom",
    .options = &options_onoom,
    .can_hold = true,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
