/*
 * engine_deopt.c - event=deopt: uncommon traps of compiled code by method and reason, and compiled
 * code that was given up.
 *
 * The VM tells agents of neither, so beat() looks at the VM's own counts once a second, or
 * less often (deopt_look.h). docs/deopt.md. SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/deopt/deopt_look.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "hotspot/java_methods.h"
#include "options/options_group.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "safe/own_class.h"

extern const struct options_group options_deopt;

extern const struct engine engine_deopt;

/* The values of an event, in the order of its kind. */
enum { TRAPS, GIVEN_UP };

enum { RESTS = 99 }; /* between two looks of beat(), in times of a look: a hundredth of the time */

static struct {
    struct deopt_look look;
    bool can_look;
    uint64_t next_ns; /* beat() does not look before */
    uint64_t lost;
    struct {
        uint64_t lost, unwatched;
    } before[AGENT_RECORDINGS]; /* when the recording began; by its place */
} deopt;

static int prepare(const struct options *o)
{
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;
    deopt.can_look = deopt_look_open(&deopt.look, &missing) == 0;
    if (!deopt.can_look) {
        log_error("event=deopt: nothing is measured: this VM cannot be read (%s)", missing);
        return E_UNSUPPORTED;
    }
    deopt_look_begin(&deopt.look);
    if (deopt.look.no_traps)
        log_note("event=deopt: this VM does not tell of traps (%s): only code that is given up is "
                 "counted",
                 deopt.look.no_traps);
    return 0;
}

/* The row of the Method at this address; 0: it cannot be read, or no memory. */
static method_id method_of(struct agent *a, uint64_t address)
{
    struct java_methods names;
    method_id id = 0;
    java_methods_init(&names, &deopt.look.target);
    const struct java_method *m = java_methods_get(&names, address);
    if (m && !own_class_is(m->class_name, strlen(m->class_name))) {
        class_id klass = names_class_named(a, profile_cstring(a->profile, m->class_name));
        string_id source = m->source_file ? profile_cstring(a->profile, m->source_file) : 0;
        id = klass ? profile_method(a->profile, klass, profile_cstring(a->profile, m->name),
                                    profile_cstring(a->profile, m->signature), source)
                   : 0;
    }
    java_methods_done(&names);
    return id;
}

static void count(void *with, const struct deopt_look_found *found)
{
    struct agent *a = with;
    struct event_compilation details = {.method = method_of(a, found->method),
                                        .id = found->id,
                                        .level = found->level,
                                        .is_osr = found->is_osr};
    frame_id frame =
        details.method ? profile_frame(a->profile, details.method, -1, PROFILE_LINE_NONE) : 0;
    trace_id whole = frame ? profile_trace(a->profile, 0, &frame, 1) : 0;
    struct event e = {
        .kind = KIND_DEOPT,
        .time_ns = clock_monotonic_ns(),
        .text = profile_cstring(a->profile, found->reason ? found->reason : "given up"),
        .value = {[TRAPS] = found->traps, [GIVEN_UP] = found->reason ? 0 : 1},
        .of_vm.compilation = &details,
    };
    if (found->traps > EVENT_TRAPS_MOST)
        deopt.lost += found->traps - EVENT_TRAPS_MOST;
    if (whole)
        deopt.lost += engine_count(a, &engine_deopt, &e, whole, false);
}

/* Needs the agent's lock. */
static void look(struct agent *a)
{
    uint64_t start = clock_monotonic_ns();
    if (!deopt.can_look)
        return;
    deopt_look_again(&deopt.look, count, a);
    uint64_t end = clock_monotonic_ns();
    deopt.next_ns = end + (end - start) * RESTS;
}

/* In a VM with much code a look takes long; then there are fewer. */
static void beat(struct agent *a, JNIEnv *env)
{
    if (clock_monotonic_ns() >= deopt.next_ns)
        look(a);
}

static int join(struct agent *a, struct recording *r)
{
    look(a);
    deopt.before[r->place].lost = deopt.lost;
    deopt.before[r->place].unwatched = deopt.look.unwatched;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    look(a);
    recording_set_quality(r, QUALITY_DEOPT_LOST, deopt.lost - deopt.before[r->place].lost);
    recording_set_quality(r, QUALITY_DEOPT_UNWATCHED,
                          deopt.look.unwatched - deopt.before[r->place].unwatched);
    recording_table(r, KIND_DEOPT);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    look(a);
    const uint64_t *total = tally_sums(r->tally, KIND_DEOPT)->total;
    snprintf(ret, ENGINE_STATUS, "traps=%llu given_up=%llu", (unsigned long long)total[TRAPS],
             (unsigned long long)total[GIVEN_UP]);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (deopt.can_look)
        deopt_look_close(&deopt.look);
    deopt.can_look = false;
    deopt.next_ns = deopt.lost = 0;
    return 0;
}

const struct engine engine_deopt = {
    .name = "deopt",
    .help = "event=deopt: traps of compiled code by reason, and code that is given up",
    .dumping = " deoptimisations ...",
    .begun = "deoptimisations",
    .options = &options_deopt,
    .owns = {.counts = "deopt"},
    .prepare = prepare,
    .start = start,
    .beat = beat,
    .sharing = {.join = join},
    .dump = dump,
    .status = status,
    .release = release,
};
