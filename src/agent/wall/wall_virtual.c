/*
 * wall_virtual.c - see wall_sampler.h.
 *
 * JVM TI reads the stack of a drawn thread. If the thread has run in between, this is the stack of
 * a later moment, or the thread has a carrier now.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/wall/wall_sampler.h"
#include <string.h>
#include "agent/engine/engine.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_virtual.h"
#include "vm/vm_virtual.h"

extern const struct engine engine_wall;

enum { DRAWN_MAX = 16 }; /* each takes 10 to 50 us */

static struct {
    uint64_t round;     /* the time is counted up to the end of this round */
    thread_id thread;   /* stands in the model for all of them; 0: not made yet */
    uint32_t announced; /* a bit for the place of each recording whose file has the thread */
    struct callstack stack;
} virtuals;

/*
 * The state that the VM reports. It does not tell a sleep from a park. WALL_STATES: the thread has
 * ended.
 */
static enum wall_state state_of(const struct agent *a, jobject thread)
{
    jint state = 0;
    (void)(*a->vm.main)->GetThreadState(a->vm.main, thread, &state);
    if (!(state & JVMTI_THREAD_STATE_ALIVE))
        return WALL_STATES;
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return WALL_BLOCKED;
    if (state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT)
        return WALL_WAITING;
    return state & JVMTI_THREAD_STATE_WAITING ? WALL_PARKED : WALL_RUNNING;
}

/*
 * The thread of the model that stands for all, because there may be millions, most of them without
 * a name. Announces the thread to each recording once. Needs the lock.
 */
static thread_id model_thread(struct agent *a)
{
    struct recording *r;
    if (!virtuals.thread)
        virtuals.thread =
            profile_add_thread(a->profile, a->threads->next_serial++, agent_new_object(a),
                               profile_cstring(a->profile, WALL_VIRTUAL_NAME), 0, 0);
    for (int at = 0; (r = engine_recording(a, &engine_wall, &at)) != NULL;) {
        if (virtuals.thread && !(virtuals.announced >> r->place & 1))
            recording_thread(r, virtuals.thread, true);
        virtuals.announced |= UINT32_C(1) << r->place;
    }
    return virtuals.thread;
}

/* Look at a drawn thread, which stands for its part of the time of all. */
static void look_at(struct wall_sampler *s, JNIEnv *env, jobject thread, struct wall_part *part)
{
    struct agent *a = s->agent;
    struct scope_values scopes, after;
    enum wall_state state;
    if (!thread || vm_virtual_is_mounted(env, thread))
        return;
    jlong number = scope_virtual_id(env, thread);
    scope_context_read_virtual(number, &scopes);
    state = state_of(a, thread);
    agent_lock(a);
    bool is_wanted = state == WALL_STATES || wall_sampler_wants_part(s, state, part);
    agent_unlock(a);
    if (!is_wanted)
        return;
    bool has_failed = callstack_ask(a, thread, a->options.depth, &virtuals.stack) != 0;

    scope_context_read_virtual(number, &after);
    if (vm_virtual_is_mounted(env, thread) || state == WALL_STATES ||
        memcmp(&scopes, &after, sizeof(after)) != 0 ||
        (has_failed && state_of(a, thread) == WALL_STATES))
        return;
    agent_lock(a);
    if (!s->stop && has_failed)
        wall_sampler_count_failed(s, part);
    else if (!s->stop && virtuals.stack.count > 0) { /* otherwise the thread has not begun to run */
        part->context = scope_context_of(a, &scopes);
        wall_sampler_count_part(s, model_thread(a), state, &virtuals.stack, part);
    }
    agent_unlock(a);
}

static void count_hidden(struct wall_sampler *s, uint64_t threads, uint32_t rounds)
{
    struct wall_part part = {.rounds = rounds, .threads = threads, .parts = 1};
    if (threads == 0)
        return;
    agent_lock(s->agent);
    wall_sampler_count_hidden(s, &part);
    agent_unlock(s->agent);
}

void wall_virtual_look(struct wall_sampler *s, JNIEnv *env)
{
    jobject drawn[DRAWN_MAX];
    struct vm_virtual_count all = {0};
    uint64_t round = wall_sampler_round(s);
    uint32_t rounds = (uint32_t)(round - virtuals.round);
    int count = 0;
    if (rounds == 0)
        return;
    virtuals.round = round;
    agent_lock(s->agent);
    bool is_wanted = wall_sampler_wants_virtual(s) != 0;
    agent_unlock(s->agent);
    if (!is_wanted)
        return; /* their time is not counted either, because the JDK's list is what costs most */
    if (vm_virtual_is_used(&s->agent->vm, env))
        count = vm_virtual_draw(env, &s->random, drawn, DRAWN_MAX, &all);
    count_hidden(s, all.hidden, rounds);
    for (int i = 0; i < count; i++) {
        struct wall_part part = {
            .rounds = rounds, .threads = all.listed, .part = (uint32_t)i, .parts = (uint32_t)count};
        look_at(s, env, drawn[i], &part);
        (*env)->DeleteGlobalRef(env, drawn[i]);
    }
}

void wall_virtual_join(const struct recording *r)
{
    virtuals.announced &= ~(UINT32_C(1) << r->place);
}

void wall_virtual_close(JNIEnv *env)
{
    vm_virtual_close(env);
    virtuals.round = 0;
    virtuals.thread = 0; /* the model may be freed too */
}
