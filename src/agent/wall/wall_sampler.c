/*
 * wall_sampler.c - see wall_sampler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/wall/wall_sampler.h"
#include <string.h>
#include "agent/engine/engine.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "options/options_wall.h"
#include "safe/clock.h"
#include "vm/method_filter.h"

extern const struct engine engine_wall;

enum { THREADS_AT_ONCE = 128 }; /* under one hold of the agent's lock, which lasts 1 to 2 ms */
enum { RUNS = 1 << WALL_RUNNING };
/* methods further in than Thread.sleep() or Object.wait(), and some more */
enum { METHODS_OF_UNMOUNTING = 8 };
#define GATHER_NS (uint64_t) NS_PER_S /* what was seen a second ago or earlier is counted */

/* ---- which threads and states are wanted */

_Static_assert((int)WALL_STATES == (int)OPTIONS_WALL_STATES &&
                   (int)WALL_IN_VM == (int)OPTIONS_WALL_IN_VM &&
                   (int)WALL_PARKED == (int)OPTIONS_WALL_PARKED,
               "the states of the options are those of the threads");

static bool wants(const struct options_wall *o, const char *name, bool is_daemon)
{
    const struct method_filter names = {.include = o->threads, .exclude = o->exclude};
    if (o->daemon != OPTIONS_WALL_BOTH && (o->daemon == OPTIONS_WALL_DAEMONS) != is_daemon)
        return false;
    return method_filter_wants_class(&names, name, strlen(name));
}

/* The recordings that want this thread, in whatever state. */
static uint32_t choose_thread(const struct wall_choice *c, const char *name, bool is_daemon)
{
    uint32_t set = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (c->of[i] && wants(c->of[i], name, is_daemon))
            set |= UINT32_C(1) << i;
    return set;
}

/*
 * The recordings that want threads in one of these states; `states` has a bit for each enum
 * wall_state.
 */
static uint32_t choose_states(const struct wall_choice *c, unsigned states)
{
    uint32_t set = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (c->of[i] && (c->of[i]->states & states))
            set |= UINT32_C(1) << i;
    return set;
}

/* ---- looks */

uint64_t wall_sampler_round(const struct wall_sampler *s)
{
    return (clock_monotonic_ns() - s->origin_ns) / s->interval_ns;
}

static struct wall_thread *kept_of(const struct wall_sampler *s, const struct vm_thread *t)
{
    return vm_threads_slot(t, s->row);
}

/* A set of recordings has a bit for the place of each. */
static bool is_in(uint32_t set, const struct recording *r)
{
    return (set >> r->place & 1) != 0;
}

static uint32_t wanted_of(const struct wall_sampler *s, const struct thread *t)
{
    struct profile *p = s->agent->profile;
    const char *name = t->id ? profile_string_at(p, profile_thread_at(p, t->id)->name)->bytes : "";
    return choose_thread(&s->choice, name, t->is_daemon);
}

static bool is_looked_at(const struct thread *t)
{
    /* otherwise it is a virtual thread, whose carrier is looked at */
    return t->vm->java_thread && t->vm->tid;
}

/*
 * A thread that exists when a pass comes stands for the time since the pass before, also for
 * threads that started and ended in between. So it is treated as if it had existed since that pass.
 */
static void make_kept(struct wall_sampler *s, struct thread *t, uint64_t round)
{
    struct wall_thread *kept = kept_of(s, t->vm);
    struct recording *r;
    *kept = (struct wall_thread){.epoch = s->epoch, .wanted = wanted_of(s, t), .round = round};
    for (int at = 0; is_looked_at(t) && (r = engine_recording(s->agent, &engine_wall, &at));)
        s->of[r->place].counts.left_threads += !is_in(kept->wanted, r);
}

/* Whether the pass that was due in the round `before` has not begun yet. */
static bool is_delayed(const struct wall_sampler *s, uint64_t before)
{
    return !s->next && s->pass_round < before;
}

void wall_sampler_enter(struct wall_sampler *s, struct thread *t)
{
    uint64_t before = wall_sampler_round(s) - 1;
    make_kept(s, t, is_delayed(s, before) ? before : s->pass_round);
}

void wall_sampler_join(struct wall_sampler *s, const struct recording *r)
{
    struct wall_counts *counts = &s->of[r->place].counts;
    memset(&s->of[r->place], 0, sizeof(s->of[r->place]));
    s->of[r->place].first_round = wall_sampler_round(s);
    s->of[r->place].first_stops = s->poke.visits;
    s->of[r->place].first_stopped_ns = s->poke.spent_ns;
    s->choice.all |= UINT32_C(1) << r->place;
    s->choice.of[r->place] = options_wall_of(&r->options);
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        struct wall_thread *kept = kept_of(s, t->vm);
        if (kept->epoch == s->epoch) {
            kept->wanted = wanted_of(s, t);
            counts->left_threads += is_looked_at(t) && !is_in(kept->wanted, r);
        }
    }
}

void wall_sampler_part(struct wall_sampler *s, const struct recording *r)
{
    s->choice.all &= ~(UINT32_C(1) << r->place);
    s->choice.of[r->place] = NULL;
}

/* ---- what was seen becomes an event of each recording */

/* The weight for a recording: at most the rounds since the recording began. */
static uint32_t weight_for(const struct wall_sampler *s, const struct recording *r, uint64_t round,
                           uint32_t weight)
{
    uint64_t all = round + 1 - s->of[r->place].first_round;
    return weight < all ? weight : (uint32_t)all;
}

/*
 * The samples for `rounds`. With `part` NULL one for each round; otherwise the part's share of the
 * samples of all threads.
 */
static uint64_t samples_of(uint32_t rounds, const struct wall_part *part)
{
    uint64_t all = part ? rounds * part->threads : rounds;
    return part ? all * (part->part + 1) / part->parts - all * part->part / part->parts : all;
}

/*
 * Make a struct wall_seen of a stack. The innermost `most` methods give a more exact state. A
 * recording gets a trace only if it wants the thread and its state.
 */
static struct wall_seen see(const struct wall_sampler *s, struct callstack *stack, uint32_t most,
                            thread_id thread, enum wall_state state, uint32_t wanted)
{
    struct agent *a = s->agent;
    struct wall_seen seen = {.thread = thread, .is_waiting = state != WALL_RUNNING};
    struct recording *r;
    callstack_name(a, stack, 0);
    if (most > stack->count)
        most = stack->count;
    if (state != WALL_RUNNING && state != WALL_NATIVE)
        state = wall_look_name(a->profile, stack->named, most, state);
    seen.state = profile_cstring(a->profile, wall_look_words[state]);
    seen.wanted = wanted & choose_states(&s->choice, 1u << state);
    for (int at = 0; (r = engine_recording(a, &engine_wall, &at)) != NULL;) {
        bool is_cut = false;
        if (!is_in(seen.wanted, r))
            continue;
        seen.traces[r->place] = callstack_trace(a, r, stack, thread, &is_cut);
        seen.cut |= (uint32_t)is_cut << r->place;
    }
    return seen;
}

/* Count the samples of looks at times `since_ns` to `until_ns`. */
static void count_seen(struct wall_sampler *s, const struct wall_seen *seen, uint64_t since_ns,
                       uint64_t until_ns, uint32_t weight, const struct wall_part *part)
{
    struct agent *a = s->agent;
    uint64_t round = (until_ns - s->origin_ns) / s->interval_ns;
    struct event event = {.kind = KIND_WALL,
                          .thread = seen->thread,
                          .text = seen->state,
                          .context = seen->context,
                          .time_ns = since_ns,
                          .is_waiting = seen->is_waiting};
    struct recording *r;
    for (int at = 0; (r = engine_recording(a, &engine_wall, &at)) != NULL;) {
        struct wall_counts *counts = &s->of[r->place].counts;
        event.value[0] = samples_of(weight_for(s, r, round, weight), part);
        if (!is_in(seen->wanted, r)) {
            counts->left_out += event.value[0];
            continue;
        }
        event.trace = seen->traces[r->place];
        event.is_truncated = seen->cut >> r->place & 1;
        if (!event.trace || recording_count(a, r, &event) != 0)
            counts->lost += event.value[0];
        else
            counts->taken += event.value[0];
    }
}

#define COUNT(name) offsetof(struct wall_counts, name)

/*
 * Add samples to the count at offset `which`, for the recordings of `wanted`. For samples that are
 * also counted under another name.
 */
static void count_of_these(struct wall_sampler *s, size_t which, uint32_t wanted, uint32_t weight,
                           const struct wall_part *part)
{
    uint64_t round = wall_sampler_round(s);
    struct recording *r;
    for (int at = 0; (r = engine_recording(s->agent, &engine_wall, &at)) != NULL;)
        if (is_in(wanted, r))
            *(uint64_t *)(void *)((char *)&s->of[r->place].counts + which) +=
                samples_of(weight_for(s, r, round, weight), part);
}

/* Count samples without a stack. */
static void count_other(struct wall_sampler *s, size_t which, uint32_t wanted, uint32_t weight,
                        const struct wall_part *part)
{
    count_of_these(s, which, wanted, weight, part);
    count_of_these(s, COUNT(left_out), ~wanted, weight, part);
}

/* In files all virtual threads without a carrier are one thread, a daemon. */
uint32_t wall_sampler_wants_virtual(const struct wall_sampler *s)
{
    return choose_thread(&s->choice, WALL_VIRTUAL_NAME, true);
}

bool wall_sampler_wants_part(struct wall_sampler *s, enum wall_state state,
                             const struct wall_part *part)
{
    if (wall_sampler_wants_virtual(s) & choose_states(&s->choice, wall_look_may_mean(state)))
        return true;
    count_other(s, COUNT(left_out), 0, part->rounds, part);
    return false;
}

void wall_sampler_count_part(struct wall_sampler *s, thread_id thread, enum wall_state state,
                             struct callstack *stack, const struct wall_part *part)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct wall_seen seen =
        see(s, stack, METHODS_OF_UNMOUNTING, thread, state, wall_sampler_wants_virtual(s));
    seen.context = part->context;
    count_seen(s, &seen, now_ns, now_ns, part->rounds, part);
    count_of_these(s, COUNT(virtual), seen.wanted, part->rounds, part);
}

void wall_sampler_count_failed(struct wall_sampler *s, const struct wall_part *part)
{
    count_other(s, COUNT(failed), wall_sampler_wants_virtual(s), part->rounds, part);
}

void wall_sampler_count_hidden(struct wall_sampler *s, const struct wall_part *part)
{
    count_other(s, COUNT(hidden), wall_sampler_wants_virtual(s), part->rounds, part);
}

/* ---- threads that are asked themselves */

/* Count the answer of a thread. After that the cell is free. */
static void count_answer(struct wall_sampler *s, uint32_t cell)
{
    struct poke_cell *c = &s->poke.cells[cell];
    struct wall_thread *kept = s->questions[cell].of;
    uint32_t wanted = kept->wanted;
    kept->asked = NULL;
    if (c->result > 0) {
        callstack_copy(c->frames, (uint32_t)c->result, c->is_truncated != 0, &s->stack);
        struct wall_seen seen =
            see(s, &s->stack, 1, s->questions[cell].thread, WALL_RUNNING, wanted);

        seen.context = scope_context_of(s->agent, &c->scopes);
        count_seen(s, &seen, c->time_ns, c->time_ns, s->questions[cell].weight, NULL);
        kept->rest.seen = seen;
        kept->seen_joins = s->joins;
    } else {
        count_other(s,
                    c->result == 0 || c->result == -(1 + WALK_NO_JAVA_FRAME) ? COUNT(no_java)
                                                                             : COUNT(failed),
                    wanted, s->questions[cell].weight, NULL);
    }
    poke_free(&s->poke, c);
}

void wall_sampler_collect(struct wall_sampler *s)
{
    for (uint32_t i = 0; i < POKE_CELLS; i++)
        if (poke_is_answered(&s->poke.cells[i]))
            count_answer(s, i);
}

/*
 * Withdraw the question to a thread that has not run since; its time is still to be counted.
 * Returns false if the answer is about to come.
 */
static bool take_back(struct wall_sampler *s, struct wall_thread *kept)
{
    uint32_t cell = (uint32_t)(kept->asked - s->poke.cells);
    if (poke_withdraw(kept->asked)) {
        kept->round -= s->questions[cell].weight;
        kept->asked = NULL;
    } else if (poke_is_answered(kept->asked)) {
        count_answer(s, cell);
    }
    return !kept->asked;
}

static void ask(struct wall_sampler *s, const struct thread *t, struct wall_thread *kept,
                uint64_t round)
{
    const struct vm_thread *vm = t->vm;
    struct poke_cell *c = poke_ask(&s->poke, vm->tid, vm->jni_env, vm->java_thread);
    if (!c)
        /* as if the thread had not been looked at: the next look also stands for this time */
        return;
    uint32_t cell = (uint32_t)(c - s->poke.cells);
    s->questions[cell].of = kept;
    s->questions[cell].thread = t->id;
    s->questions[cell].weight = (uint32_t)(round - kept->round);
    kept->asked = c;
    kept->round = round;
}

void wall_sampler_withdraw(struct wall_sampler *s)
{
    for (uint32_t i = 0; i < POKE_CELLS; i++) {
        struct poke_cell *c = &s->poke.cells[i];
        if (poke_withdraw(c))
            s->questions[i].of->asked = NULL;
    }
}

/* ---- threads that do not run are where they were */

static void count_rest(struct wall_sampler *s, struct wall_thread *kept)
{
    struct wall_rest *rest = &kept->rest;
    if (rest->weight > 0)
        count_seen(s, &rest->seen, rest->since_ns, rest->until_ns, rest->weight, NULL);
    rest->weight = 0;
}

static void gather(struct wall_sampler *s, struct wall_thread *kept, uint64_t now_ns,
                   uint32_t weight)
{
    struct wall_rest *rest = &kept->rest;
    if (rest->weight == 0)
        rest->since_ns = now_ns;
    rest->until_ns = now_ns;
    rest->weight += weight;
    if (now_ns - rest->since_ns >= GATHER_NS)
        count_rest(s, kept);
}

/* Whether a thread has not run since the last look at it. */
static bool is_at_rest(const struct wall_sampler *s, const struct vm_thread *vm,
                       const struct wall_thread *kept)
{
    return kept->rest.joins == s->joins && wall_look_has_rested(vm, &kept->rest.place);
}

void wall_sampler_settle(struct wall_sampler *s)
{
    wall_sampler_collect(s);
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        struct wall_thread *kept = kept_of(s, t->vm);
        if (kept->epoch == s->epoch)
            count_rest(s, kept);
    }
}

/* ---- a look */

/* Count rounds of a thread that has ended where the thread was seen last. */
static void count_last_seen(struct wall_sampler *s, struct wall_thread *kept, uint32_t weight)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (kept->seen_joins == s->joins)
        count_seen(s, &kept->rest.seen, now_ns, now_ns, weight, NULL);
    else
        count_other(s, COUNT(ended), kept->wanted, weight, NULL);
}

/*
 * A thread ends while a pass is delayed. No thread that starts meanwhile stands for the rounds
 * since the last look at this thread (see wall_sampler_enter()).
 */
static void count_unseen(struct wall_sampler *s, struct wall_thread *kept)
{
    uint64_t before = wall_sampler_round(s) - 1;
    if (is_delayed(s, before) && before > kept->round && kept->wanted)
        count_last_seen(s, kept, (uint32_t)(before - kept->round));
}

void wall_sampler_leave(struct wall_sampler *s, struct thread *t)
{
    struct wall_thread *kept = kept_of(s, t->vm);
    if (s->next == t)
        s->next = threads_next(t);
    if (kept->epoch != s->epoch)
        return;
    count_rest(s, kept);
    if (kept->asked) {
        uint32_t cell = (uint32_t)(kept->asked - s->poke.cells);

        /*
         * The thread is here, so its handler does not run: it has answered, or will not answer. On
         * a loaded machine the question may stand for a second in which the thread was at rest.
         */
        if (poke_withdraw(kept->asked))
            count_last_seen(s, kept, s->questions[cell].weight);
        else
            count_answer(s, cell);
        kept->asked = NULL;
    }
    count_unseen(s, kept);
}

/* No recording wants the time that has passed. */
static void leave_out(struct wall_sampler *s, struct wall_thread *kept, uint64_t round)
{
    count_other(s, COUNT(left_out), 0, (uint32_t)(round - kept->round), NULL);
    kept->round = round;
}

static void look_at(struct wall_sampler *s, struct thread *t, struct wall_thread *kept)
{
    uint64_t now_ns = clock_monotonic_ns(), round = (now_ns - s->origin_ns) / s->interval_ns;
    struct wall_found found = {.state = WALL_RUNNING};
    enum wall_look look;
    if (kept->asked && !take_back(s, kept))
        return;
    if (round <= kept->round)
        return;
    uint32_t weight = (uint32_t)(round - kept->round);

    if (!kept->wanted) {
        leave_out(s, kept, round);
        return;
    }
    if (is_at_rest(s, t->vm, kept)) {
        kept->round = round;
        count_of_these(s, COUNT(rested), kept->rest.seen.wanted, weight, NULL);
        gather(s, kept, now_ns, weight);
        return;
    }
    count_rest(s, kept);
    kept->rest.joins = 0;
    if (!(kept->wanted & choose_states(&s->choice, wall_look_may_be(t->vm)))) {
        leave_out(s, kept, round);
        return;
    }
    look = wall_look_at(t->vm, s->agent->options.depth, &found, &s->stack);
    if (look == WALL_LOOK_ASK && !(kept->wanted & choose_states(&s->choice, RUNS))) {
        leave_out(s, kept, round);
        return;
    }
    if (look == WALL_LOOK_ASK) {
        ask(s, t, kept, round);
        return;
    }
    kept->round = round;
    if (look == WALL_LOOK_TAKEN) {
        kept->rest.seen = see(s, &s->stack, 1, t->id, found.state, kept->wanted);
        kept->rest.seen.context = scope_context_of(s->agent, &found.scopes);
        kept->seen_joins = s->joins;
        gather(s, kept, now_ns, weight);
        if (found.state == WALL_RUNNING)
            count_rest(s, kept);
        kept->rest.place = found.place;
        kept->rest.joins = found.state == WALL_RUNNING ? 0 : s->joins;
    } else {
        count_other(s, look == WALL_LOOK_NONE ? COUNT(no_java) : COUNT(failed), kept->wanted,
                    weight, NULL);
    }
    callstack_leave(&s->stack);
}

void wall_sampler_begin_pass(struct wall_sampler *s)
{
    s->pass_round = wall_sampler_round(s);
    s->next = threads_next(NULL);
}

void wall_sampler_look(struct wall_sampler *s)
{
    for (uint32_t left = THREADS_AT_ONCE; s->next && left > 0; s->next = threads_next(s->next)) {
        struct thread *t = s->next;
        struct wall_thread *kept = kept_of(s, t->vm);
        if (!is_looked_at(t))
            continue;
        if (kept->epoch != s->epoch) /* the thread existed when sampling began */
            make_kept(s, t, 0);
        left--;
        look_at(s, t, kept);
        poke_walk(&s->poke);
    }
}
