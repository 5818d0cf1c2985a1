/*
 * ttsp_tell.c - see ttsp.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/ttsp/ttsp.h"
#include "options/options_ttsp.h"
#include "safe/clock.h"

extern const struct engine engine_ttsp;

enum { ANSWER_NS = 50 * NS_PER_MS }; /* a thread without a processor answers later, or not */

void ttsp_tell_ended(struct ttsp *t, const struct thread *thread)
{
    uint32_t at = t->ended.next++ % TTSP_ENDED;
    t->ended.threads[at].java_thread = thread->vm->java_thread;
    t->ended.threads[at].end_ns = clock_monotonic_ns();
    t->ended.threads[at].id = thread->id;
}

/*
 * The thread that had this JavaThread when the VM began to wait; 0: it is no thread of the program,
 * or many threads have ended since. A later thread may have the same JavaThread, so of the threads
 * that had it and have ended since then the first one is meant.
 */
static thread_id thread_of(const struct ttsp *t, uint64_t java_thread, uint64_t begin_ns)
{
    uint32_t first = TTSP_ENDED;
    for (uint32_t i = 0; i < TTSP_ENDED; i++)
        if (t->ended.threads[i].java_thread == java_thread &&
            t->ended.threads[i].end_ns >= begin_ns &&
            (first == TTSP_ENDED || t->ended.threads[i].end_ns < t->ended.threads[first].end_ns))
            first = i;
    if (first < TTSP_ENDED)
        return t->ended.threads[first].id;
    for (struct thread *each = threads_next(NULL); each; each = threads_next(each))
        if (each->vm->java_thread == java_thread)
            return each->id;
    return 0;
}

static const char *words_of(const struct ttsp_stop *s)
{
    uint32_t state = s->last.thread.state;
    if (!s->was_looked_at)
        return "not seen";
    if (!s->last.thread.java_thread)
        return "no Java thread";
    return state == HS_THREAD_IN_JAVA || state == HS_THREAD_IN_JAVA_TRANS ? "Java" : "the VM";
}

static void count(struct ttsp *t, struct recording *r, const struct ttsp_stop *s,
                  const struct event *event)
{
    struct ttsp_counts *of = &t->of[r->place];
    const struct poke_cell *answer = s->last.answer;
    struct event own = *event;
    if (s->ns < options_ttsp_of(&r->options)->threshold_ns) {
        of->shorter += s->stops;
        of->shorter_ns += s->ns;
        return;
    }
    own.trace = callstack_trace(t->agent, r, &t->stack, event->thread, &own.is_truncated);
    if (!own.trace || recording_count(t->agent, r, &own) != 0) {
        of->lost += s->stops;
        return;
    }
    of->events++;
    of->unseen += !s->was_looked_at;
    of->nobody += s->was_looked_at && !s->last.thread.java_thread;
    of->after += answer && answer->time_ns > s->end_ns;
    of->failed += s->last.thread.java_thread && t->stack.count == 0;
}

static void tell(struct ttsp *t, const struct ttsp_stop *s)
{
    struct agent *a = t->agent;
    const struct poke_cell *answer = s->last.answer;
    const struct event_safepoint details = {.late_threads = s->late_threads,
                                            .late_in = words_of(s)};
    struct event event = {
        .kind = KIND_TTSP,
        .thread = s->last.thread.java_thread
                      ? thread_of(t, s->last.thread.java_thread, s->end_ns - s->ns)
                      : 0,
        .text = s->operation ? profile_cstring(a->profile, s->operation) : 0,
        .time_ns = s->end_ns,
        .value = {s->ns, s->stops},
        .safepoint = &details,
    };
    struct recording *r;
    bool has_stack = answer && answer->result > 0;
    callstack_copy(has_stack ? answer->frames : t->poke.cells->frames,
                   has_stack ? (uint32_t)answer->result : 0, has_stack && answer->is_truncated,
                   &t->stack);
    if (has_stack)
        event.context = scope_context_of(a, &answer->scopes);
    callstack_name(a, &t->stack, 0);
    for (int at = 0; (r = engine_recording(a, &engine_ttsp, &at)) != NULL;)
        if (s->end_ns >= r->began_ns)
            count(t, r, s, &event);
}

/* Whether the stop waits for the answer of its thread. Takes the answer that has come. */
static bool waits_for_answer(struct ttsp *t, struct ttsp_late *last, uint64_t end_ns)
{
    if (last->asked && poke_is_answered(last->asked)) {
        if (last->answer)
            poke_free(&t->poke, last->answer);
        last->answer = last->asked;
        last->asked = NULL;
    }
    return last->asked && !last->answer && clock_monotonic_ns() - end_ns < ANSWER_NS;
}

void ttsp_tell(struct ttsp *t, bool is_last)
{
    for (uint32_t taken = atomic_load(&t->queue.taken); taken != atomic_load(&t->queue.put);) {
        struct ttsp_stop *s = &t->queue.stops[taken % TTSP_QUEUE];
        if (waits_for_answer(t, &s->last, s->end_ns) && !is_last)
            break;
        tell(t, s);
        ttsp_watch_leave(t, &s->last);
        atomic_store(&t->queue.taken, ++taken);
    }
}
