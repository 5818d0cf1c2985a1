/*
 * engine_exception.c - event=exception and event=thrown: exceptions by class and trace.
 *
 * event=exception counts the exceptions that are constructed: code that is injected into the
 * constructors of Throwable hands over the object when a constructor returns. event=thrown counts
 * each throw, by an event of the VM. The VM gives this event only at its start, and the event makes
 * throws slow for the VM's whole life. All exceptions are counted; above a certain rate only some
 * of them are looked at, and each of these stands for several (base/rate.h). See
 * docs/exceptions.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/thrown/thrown.h"
#include "base/err.h"
#include "base/rate.h"
#include "options/options_exception.h"
#include "safe/clock.h"
#include "vm/vm_env.h"

extern const struct engine engine_exception;

enum {
    RATE_WINDOW_NS = 10000000,
    RATE_WHOLE = 25, /* so many exceptions of a window are looked at before any is left out */
    /* constructors of the class and its superclasses on the stack of one exception */
    CONSTRUCTORS_MAX = 32,
};

static struct {
    struct rate rate;
    _Atomic uint64_t all, looked_at;
    struct agent *agent;
    enum options_exception what;
    struct {
        uint64_t all, looked_at;
        /* the counts when the recording began; indexed by the recording's place */
    } before[AGENT_RECORDINGS];
} exceptions = {.rate = {.window_ns = RATE_WINDOW_NS, .whole = RATE_WHOLE}};

/* ---- one exception */

/* How many frames at the top of the stack are constructors of the exception. The last of them is
 * the constructor of the exception's own class. */
static jint constructors(struct agent *a, const struct traces_stack *stack, class_id klass)
{
    jint count = 0;
    for (jint i = 0; i < stack->count && i < CONSTRUCTORS_MAX; i++) {
        const struct walk_frame f = {.method = (uint64_t)(uintptr_t)stack->frames[i].method,
                                     .bci = (int32_t)stack->frames[i].location};
        struct frame_found found = frame_room_find(a, WALK_NAMES_JMETHODID, &f);
        const struct profile_method *m =
            found.frame
                ? profile_method_at(a->profile, profile_frame_at(a->profile, found.frame)->method)
                : NULL;
        if (!m || strcmp(profile_string_at(a->profile, m->name)->bytes, "<init>") != 0)
            break;
        if (m->klass == klass)
            count = i + 1;
    }
    return count;
}

/* Drops the `count` innermost frames. Returns whether more than `depth` frames were left. */
static bool drop_frames(struct traces_stack *stack, jint count, jint depth)
{
    stack->count -= count;
    memmove(stack->frames, stack->frames + count, (size_t)stack->count * sizeof(*stack->frames));
    stack->depth = depth;
    if (stack->count <= depth)
        return false;
    stack->count = depth;
    return true;
}

/* Needs the agent's lock. */
static void add(struct agent *a, jclass klass, struct traces_stack *stack, uint32_t weight)
{
    struct thread *t = threads_here();
    struct event event = {.kind = KIND_EXCEPTION,
                          .klass = names_class(a, klass),
                          .thread = t ? t->id : 0,
                          .context = scope_context_here(a),
                          .time_ns = clock_monotonic_ns(),
                          .value = {weight}};
    jint made_by =
        exceptions.what == OPTIONS_EXCEPTION_MADE ? constructors(a, stack, event.klass) : 0;
    bool is_cut = drop_frames(stack, made_by, a->options.depth) || stack->is_cut;
    trace_id whole = traces_of(a, t ? t->id : 0, stack);
    if (whole && event.klass)
        engine_count(a, &engine_exception, &event, whole, is_cut);
}

/* `skip`: number of innermost frames that do not belong to the program. */
static void look(struct agent *a, JNIEnv *env, jobject object, uint32_t weight, int skip)
{
    struct traces_stack stack;
    jclass klass;
    if (traces_take(a, NULL, skip, a->options.depth + CONSTRUCTORS_MAX, &stack) != 0)
        return;
    klass = (*env)->GetObjectClass(env, object);
    if (agent_enter(a)) {
        if (a->started && !a->closed) {
            atomic_fetch_add_explicit(&exceptions.looked_at, 1, memory_order_relaxed);
            add(a, klass, &stack, weight);
        }
        agent_unlock(a);
    }
    (*env)->DeleteLocalRef(env, klass);
}

static void see(JNIEnv *env, jobject object, int skip)
{
    struct agent *a = exceptions.agent;
    uint32_t weight;
    if (agent_lock_is_mine(a)) /* calls of the agent throw this exception */
        return;
    atomic_fetch_add_explicit(&exceptions.all, 1, memory_order_relaxed);
    weight = rate_take(&exceptions.rate, clock_monotonic_ns());
    if (weight)
        look(a, env, object, weight, skip);
}

static struct gate user_gate;
static struct thrown_user user = {.see = see, .gate = &user_gate};

/* ---- the engine */

static int prepare(const struct options *o)
{
    exceptions.what = (enum options_exception)options_group_asked(o, &options_exception);
    user.is_of_throws = exceptions.what == OPTIONS_EXCEPTION_THROWN;
    return 0;
}

static const struct engine_need needs[] = {
    {.asked = OPTIONS_EXCEPTION_THROWN,
     .what = VM_CAN_GENERATE_EXCEPTION_EVENTS,
     .refused = "event=thrown: %s: use event=exception, which counts what is constructed"},
    {.asked = OPTIONS_EXCEPTION_MADE,
     .what = VM_CAN_RETRANSFORM_CLASSES,
     .refused = "event=exception: this VM does not let its classes be changed"},
};

static int load(struct agent *a)
{
    exceptions.agent = a;
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    int error = thrown_add(a, env, &user);
    if (error)
        log_error("event=exception: this VM does not tell of exceptions");
    return error;
}

static int join(struct agent *a, struct recording *r)
{
    exceptions.before[r->place].all = exceptions.all;
    exceptions.before[r->place].looked_at = exceptions.looked_at;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    recording_set_quality(r, QUALITY_EXCEPTIONS, exceptions.all - exceptions.before[r->place].all);
    recording_set_quality(r, QUALITY_EXCEPTIONS_LOOKED_AT,
                          exceptions.looked_at - exceptions.before[r->place].looked_at);
    recording_table(r, KIND_EXCEPTION);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    snprintf(ret, ENGINE_STATUS, "exceptions=%llu",
             (unsigned long long)(exceptions.all - exceptions.before[r->place].all));
}

static void stop(struct agent *a)
{
    thrown_remove(&user);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (!thrown_settle(&user)) {
        log_error("event=exception: somebody still looks at an exception");
        return -EBUSY;
    }
    exceptions.all = exceptions.looked_at = 0;
    return 0;
}

const struct engine engine_exception = {
    .name = "exception",
    .help = "event=exception|thrown: exceptions by class and trace",
    .dumping = " exceptions ...",
    .begun = "exceptions",
    .options = &options_exception,
    .owns = {.needs = needs,
             .need_count = sizeof(needs) / sizeof(needs[0]),
             .counts = "exceptions"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .sharing = {.join = join},
    .dump = dump,
    .stop = stop,
    .status = status,
    .release = release,
};
