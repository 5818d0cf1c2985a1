/*
 * trigger_onuncaught.c - onuncaught=y: fires when an exception has ended a thread.
 *
 * Then the VM calls Thread.dispatchUncaughtException(), for a virtual thread too. A call is
 * injected at the entry of this method, which costs nothing until then. docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "base/gate.h"
#include "options/options_group.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"

extern const struct options_group options_onuncaught;

extern const struct trigger trigger_onuncaught;

#define TRACKER OWN_CLASS("Uncaught")

enum { CLOSE_MS = 2000 };

static struct {
    struct gate gate;
    struct agent *agent;
} uncaught;

static void tell(JNIEnv *env, jobject object)
{
    struct trigger_watch *w;
    for (int at = 0; (w = trigger_set_next(&trigger_onuncaught, &at)) != NULL;)
        if (trigger_is_live(w))
            trigger_thread_fire(w, trigger_said(uncaught.agent, env, object),
                                trigger_said_stack(env, object));
}

static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number, jobject object, jlong value)
{
    _Atomic uint32_t *inside = object ? gate_enter(&uncaught.gate) : NULL;
    if (!inside)
        return 0;
    tell(env, object);
    gate_leave(inside);
    return 0;
}

static void JNICALL leave(JNIEnv *env, jclass klass, jlong kept, jint number, jobject object,
                          jlong value)
{
}

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(ILjava/lang/Object;J)J", (void *)enter},
    {(char *)"leave", (char *)"(JILjava/lang/Object;J)V", (void *)leave},
    {(char *)"caught", (char *)"(J)V", (void *)tracker_caught_nothing},
};

static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return cpool_utf8_is(m->name, "dispatchUncaughtException") ? 0 : -1;
}

static bool is_thread(const char *class_name)
{
    return strcmp(class_name, "java/lang/Thread") == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .enter = "enter",
    .exit = "leave",
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "leave",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .has_arguments = true,
    .select = select_method,
};

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true,
    .wants = is_thread,
};

static int load(struct agent *a, const struct trigger_watch *w)
{
    int error = injector_open(&a->vm);
    if (error)
        log_error("onuncaught=: this VM does not let its classes be changed");
    return error;
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    uncaught.agent = a;
    if (tracker_define_natives(&a->vm, env, &tracker) != 0) {
        log_error("onuncaught=: this VM does not take our class");
        return E_UNSUPPORTED;
    }
    gate_open(&uncaught.gate);
    return injector_add(&injected);
}

static void disarm(struct agent *a)
{
    injector_remove(&injected);
}

static int release(struct agent *a)
{
    if (gate_close(&uncaught.gate, CLOSE_MS))
        return 0;
    log_error("onuncaught=: somebody still looks at an exception");
    return E_VM_STATE;
}

const struct trigger trigger_onuncaught = {
    .name = "onuncaught",
    .options = &options_onuncaught,
    .can_hold = true,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
