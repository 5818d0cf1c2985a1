/*
 * trigger_onmethod.c - onmethod=CLASS::METHOD[:>TIME]: fires when the method is called, or when a
 * call has lasted longer than TIME.
 *
 * Calls are injected at the entry of the method and before each return. A call keeps the time of
 * its entry, with the place of the watch in the lowest bits. A call that ends by an exception is
 * not seen to end. docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/stack_lines.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "base/gate.h"
#include "options/options_call.h"
#include "options/options_group.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"

extern const struct options_group options_onmethod;

extern const struct trigger trigger_onmethod;

#define TRACKER OWN_CLASS("Method")

enum { CLOSE_MS = 2000, PLACES = 16, SHOWN = 2 * OPTIONS_ON_TEXT };

static struct {
    struct gate gate;
    struct agent *agent;
    /* Indexed by the number in the probes. A place gets no other watch before release(). */
    struct {
        struct trigger_watch *_Atomic watch;
        /* a class with the method was found; a class of that name lacks the method */
        _Atomic bool is_found, is_refused;
    } places[PLACES];
} onmethod;

/* The class and method as the user knows them: "java.io.File::exists" */
static const char *shown(const struct trigger_watch *w, char ret[SHOWN])
{
    snprintf(ret, SHOWN, "%s::%s", w->on.what, w->method);
    for (int i = 0; ret[i] && ret[i] != ':'; i++)
        if (ret[i] == '/')
            ret[i] = '.';
    return ret;
}

static void fire(JNIEnv *env, struct trigger_watch *w, uint64_t ns)
{
    jvmtiEnv *jvmti = onmethod.agent->vm.main;
    char thread[TRIGGER_SAID_THREAD], name[SHOWN], lasted[48] = "was called", *what;
    trigger_said_thread(jvmti, env, thread);
    if (w->least_ns)
        snprintf(lasted, sizeof(lasted), "took %.3f ms", (double)ns / NS_PER_MS);
    if (asprintf(&what, "%s %s, in the thread \"%s\"", shown(w, name), lasted, thread) > 0)
        trigger_thread_fire(w, what, stack_lines_here(stack_lines_env(onmethod.agent), env, NULL));
}

static struct trigger_watch *watch_at(jint number)
{
    struct trigger_watch *w =
        atomic_load_explicit(&onmethod.places[number % PLACES].watch, memory_order_acquire);
    return w && trigger_is_live(w) ? w : NULL;
}

/* Returns 0 if no watch needs the end of the call. */
static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    _Atomic uint32_t *inside = gate_enter(&onmethod.gate);
    struct trigger_watch *w = inside ? watch_at(number) : NULL;
    uint64_t now = w && w->least_ns ? clock_monotonic_ns() : 0;
    if (w && !w->least_ns)
        fire(env, w, 0);
    if (inside)
        gate_leave(inside);
    return now ? (jlong)(now / PLACES * PLACES + (uint64_t)number) : 0;
}

static void JNICALL leave(JNIEnv *env, jclass klass, jlong kept)
{
    _Atomic uint32_t *inside = kept ? gate_enter(&onmethod.gate) : NULL;
    struct trigger_watch *w = inside ? watch_at((jint)(kept % PLACES)) : NULL;
    uint64_t ns = w ? clock_monotonic_ns() - (uint64_t)kept / PLACES * PLACES : 0;
    if (w && ns > w->least_ns)
        fire(env, w, ns);
    if (inside)
        gate_leave(inside);
}

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(I)J", (void *)enter},
    {(char *)"leave", (char *)"(J)V", (void *)leave},
    {(char *)"caught", (char *)"(J)V", (void *)tracker_caught_nothing},
};

static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

/* ---- which methods */

static struct trigger_watch *of_class(int place, const char *name, size_t len)
{
    struct trigger_watch *w = atomic_load(&onmethod.places[place].watch);
    return w && atomic_load(&w->is_armed) && trigger_set_has_name(w, name, len) ? w : NULL;
}

static bool is_wanted(const char *class_name)
{
    for (int i = 0; i < PLACES; i++)
        if (of_class(i, class_name, strlen(class_name)))
            return true;
    return false;
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    for (int i = 0; i < PLACES; i++) {
        const struct trigger_watch *w =
            of_class(i, (const char *)m->class_name.bytes, m->class_name.len);
        if (w && cpool_utf8_is(m->name, w->method))
            return i;
    }
    return -1;
}

/* Whether a method of that name got its probe in the class that was changed. */
static bool has_method(const struct instrument_result *r, const struct instrument_share *own,
                       const char *method)
{
    for (uint32_t i = 0; r->bytes && i < r->row_count; i++)
        if (own->rows[i].verdict == INSTRUMENT_INJECTED && cpool_utf8_is(own->rows[i].name, method))
            return true;
    return false;
}

static void note_done(const struct instrument_result *r, const struct instrument_share *own)
{
    for (int i = 0; i < PLACES; i++) {
        const struct trigger_watch *w =
            of_class(i, (const char *)r->class_name.bytes, r->class_name.len);
        char name[SHOWN];
        if (!w)
            continue;
        if (has_method(r, own, w->method))
            atomic_store(&onmethod.places[i].is_found, true);
        else if (!atomic_exchange(&onmethod.places[i].is_refused, true))
            log_error("onmethod=%s: this class has no such method with code of its own: name the "
                      "class that has it",
                      shown(w, name));
    }
}

/* Called after all loaded classes have been changed. */
static void note_all_done(JNIEnv *env)
{
    struct trigger_watch *w;
    char name[SHOWN];
    for (int i = 0; i < PLACES; i++)
        if ((w = watch_at(i)) && !onmethod.places[i].is_found && !onmethod.places[i].is_refused)
            log_note("onmethod=%s: no such class is loaded so far", shown(w, name));
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
    .select = select_method,
};

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants = is_wanted,
    .done = note_done,
    .end = note_all_done,
};

/* ---- the trigger */

static void read(struct trigger_watch *w)
{
    const struct options_call call = options_call_split(w->on.what);
    w->method = call.method;
    w->least_ns = call.least_ns;
}

static int load(struct agent *a, const struct trigger_watch *w)
{
    int error = injector_open(&a->vm);
    if (error)
        log_error("onmethod=: this VM does not let its classes be changed");
    return error;
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    int at = 0;
    while (at < PLACES && atomic_load(&onmethod.places[at].watch))
        at++;
    if (at == PLACES) {
        log_error("onmethod=: %d methods have been watched: stop all recordings first", PLACES);
        return E_LIMIT;
    }
    onmethod.agent = a;
    if (tracker_define_natives(&a->vm, env, &tracker) != 0) {
        log_error("onmethod=: this VM does not take our class");
        return E_UNSUPPORTED;
    }
    atomic_store(&onmethod.places[at].is_found, false);
    atomic_store(&onmethod.places[at].is_refused, false);
    atomic_store_explicit(&onmethod.places[at].watch, w, memory_order_release);
    gate_open(&onmethod.gate);
    return injector_add_again(&injected);
}

static void disarm(struct agent *a)
{
    injector_remove(&injected);
}

static int release(struct agent *a)
{
    if (!gate_close(&onmethod.gate, CLOSE_MS)) {
        log_error("onmethod=: somebody is still in a watched method's entry");
        return E_VM_STATE;
    }
    for (int i = 0; i < PLACES; i++)
        atomic_store(&onmethod.places[i].watch, NULL);
    return 0;
}

const struct trigger trigger_onmethod = {
    .name = "onmethod",
    .options = &options_onmethod,
    .can_hold = true,
    .read = read,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
