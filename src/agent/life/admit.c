/*
 * admit.c - see admit.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/admit.h"
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/frame_room.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/headroom.h"
#include "options/options_group.h"
#include "options/options_on.h"
#include "options/options_parse.h"
#include "options/options_share.h"

enum { IDLE_MAX = 32 };

/* ---- options */

/*
 * Parse `line` joined with `environment`; either may be NULL. Errors: 0; E_SYNTAX after a message.
 */
static int parse(const char *line, const char *environment, struct options *ret)
{
    struct options_error why;
    if (options_parse(line, environment, ret, &why) != 0) {
        char *whole = options_parse_join(line, environment);
        log_error("hprof option error: %s (%s) [hprof " HPROF_VERSION "]", why.text,
                  whole ? whole : "");
        free(whole);
        return E_SYNTAX;
    }
    if (why.note[0])
        log_note("%s", why.note);
    return 0;
}

static void say_idle(const struct options *o)
{
    struct options_parse_idle idle[IDLE_MAX];
    int count = options_parse_idle(o, idle, IDLE_MAX);
    for (int i = 0; i < count; i++)
        log_note("%s= has no effect without %s", idle[i].name, idle[i].needed);
}

/* The default of mem=: a share of the memory cgroup that does no harm if the cgroup is small. */
static uint64_t default_memory(void)
{
    enum { LEAST = 8 << 20 };
    struct headroom headroom;
    uint64_t bytes;
    headroom_open(&headroom, "/proc");
    bytes = headroom_share(&headroom);
    headroom_close(&headroom);
    return bytes < LEAST ? LEAST : bytes;
}

int admit_complete(struct options *o)
{
    struct options_error why;
    int error = options_parse_check_names(o, &why);
    if (error) {
        log_error("%s", why.text);
        return error;
    }
    say_idle(o);
    if (!o->mem_bytes)
        o->mem_bytes = default_memory();
    return 0;
}

/* Trigger options of a recording that waits are checked now, while somebody hears of a mistake. */
static int settle_triggers(struct recording *r, bool is_begun)
{
    int error = 0;
    if (is_begun)
        options_on_begun(&r->options);
    r->is_waiting = options_on_waits(&r->options);
    if (!r->is_waiting && !options_on_is_alone(&r->options))
        return 0;
    if (r->is_waiting)
        error = admit_complete(&r->options);
    options_on_hold(&r->options);
    return error;
}

int admit_new(struct agent *a, const char *line, const char *environment, bool is_begun,
              struct recording **ret)
{
    struct recording *r = calloc(1, sizeof(*r));
    int error = r ? parse(line, environment, &r->options) : -ENOMEM;
    if (!error && !r->options.said.help) {
        r->line = options_parse_join(line, environment);
        error = r->line ? settle_triggers(r, is_begun) : -ENOMEM;
    }

    while (r && r->place < AGENT_RECORDINGS && a->recordings[r->place])
        r->place++;
    if (r && r->place == AGENT_RECORDINGS) {
        r->place = 0; /* this place belongs to another recording, and stays that one's */
        if (!error)
            log_error("there are %d recordings: stop one of them first", AGENT_RECORDINGS);
        error = error ? error : E_VM_STATE;
    }
    if (r)
        r->output.fd = -1;
    *ret = r;
    return error;
}

/* ---- what recordings share */

/* The recording gets the model's own tally if no other recording has it; otherwise a new tally. */
int admit_tally(struct agent *a, struct recording *r)
{
    r->tally = profile_tally(a->profile);
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i]->tally == r->tally) {
            r->tally = profile_tally_new(a->profile,
                                         (size_t)budget_bytes(a->options.mem_bytes, BUDGET_TALLY));
            break;
        }
    if (!r->tally)
        log_error("no memory for another recording");
    return r->tally ? 0 : -ENOMEM;
}

int admit_fold(struct agent *a)
{
    const struct options *parts[AGENT_RECORDINGS + 1];
    int count = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i])
            parts[count++] = &a->recordings[i]->options;
    if (a->coming)
        parts[count++] = &a->coming->options;
    return count > 0 ? options_share_fold(&a->options, parts, count) : 0;
}

void admit_settle_kinds(const struct agent *a)
{
    bool has_kinds = false;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        has_kinds =
            has_kinds || (a->recordings[i] && recording_can(a->recordings[i], WRITER_TIERS));
    frame_room_keep_kinds(has_kinds);
}

/* The recording that has one of the engines of `set`; for an empty set, any recording. */
static const struct recording *owner_of(const struct agent *a, engine_set set)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && (!set || (a->recordings[i]->engines & set)))
            return a->recordings[i];
    return NULL;
}

static int check_alone(const struct agent *a, const struct recording *r)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next_of(engine_wanted(&r->options), &at)) != NULL;) {
        const struct recording *owner = owner_of(a, (engine_set)1 << (at - 1));
        const char *name = e->options->asked_by ? e->options->asked_by : e->name;
        if (a->engines.stuck >> (at - 1) & 1) {
            log_error("%s runs no more in this JVM: it could not be stopped", name);
            return E_VM_STATE;
        }
        if (e->sharing.alone && owner) {
            log_error("%s: recording %s has it, and %s", name, owner->name, e->sharing.alone);
            return E_VM_STATE;
        }
    }
    return 0;
}

int admit_check(const struct agent *a, struct recording *r)
{
    struct options_error why;
    if (options_share_check(&a->options, &r->options, &why) != 0) {
        log_error("%s is fixed by recording %s: leave it out, or stop that one first", why.text,
                  owner_of(a, 0)->name);
        return E_VM_STATE;
    }
    return check_alone(a, r);
}
