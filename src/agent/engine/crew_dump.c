/*
 * crew_dump.c - see crew_dump.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/crew_dump.h"
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "base/err.h"
#include "base/lock.h"

/* Take the lock for dumps, and let each engine finish what an earlier dump has left. */
void crew_dump_begin(struct agent *a)
{
    const struct engine *e;
    lock_take(&a->locks.dumps);
    for (int at = 0; a->started && !a->closed && (e = engine_next(a, &at)) != NULL;) {
        if (e->settle)
            e->settle(a);
    }
    agent_lock(a);
}

/*
 * Whether `r` still runs. It may have ended while its dump waited for another one. Needs the lock.
 */
static bool is_there(const struct agent *a, const struct recording *r)
{
    bool is_there = false;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        is_there |= a->recordings[i] == r && r->is_counting;
    return is_there && a->started && !a->closed;
}

/* Wait until the file has the dump, unless the file is slow, before "done" is printed. */
static void settle_dump(struct agent *a, struct recording *r)
{
    bool is_open = is_there(a, r);
    if (is_open)
        recording_flush(r);
    agent_unlock(a);
    if (is_open)
        output_settle(&r->output);
}

static void dump_engines(struct agent *a, struct recording *r)
{
    JNIEnv *env = vm_jni(&a->vm);
    const struct engine *e;
    recording_catch_up(r);
    if (r->options.verbose)
        log_piece("Dumping");
    scope_context_set_quality(a, r);
    if (env)
        names_tell_unloaded(a, r, env);
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL;) {
        if (e->dump)
            e->dump(a, r);
        if (r->options.verbose && e->dumping)
            log_piece(e->dumping);
    }
}

/* Print the end of the line about a dump, then the engines' own messages. Needs the lock. */
static void say_dumped(struct agent *a)
{
    const struct engine *e;
    a->last_dump.line = AGENT_DUMP_SAID;
    log_piece(log_errors() == a->last_dump.errors ? " done.\n" : " not whole.\n");
    for (int at = 0; (e = engine_next_of(a->last_dump.recording->engines, &at)) != NULL;) {
        if (e->say)
            e->say(a, a->last_dump.recording);
    }
}

/*
 * Print the end of the line now, unless an engine still writes its part. Then that engine calls
 * crew_dump_written() later. Needs the lock.
 */
static void say_if_written(struct agent *a)
{
    const struct engine *e;
    bool is_pending = false;
    for (int at = 0; (e = engine_next_of(a->last_dump.recording->engines, &at)) != NULL;)
        is_pending |= e->is_pending && e->is_pending(a);
    if (is_pending)
        a->last_dump.line = AGENT_DUMP_PENDING;
    else
        say_dumped(a);
}

int crew_dump_written(struct agent *a)
{
    bool has_line = a->last_dump.line != AGENT_DUMP_SAID;
    if (a->last_dump.line == AGENT_DUMP_PENDING)
        say_dumped(a);
    return has_line;
}

bool crew_dump_begin_of(struct agent *a, const struct recording *r)
{
    crew_dump_begin(a);
    return is_there(a, r);
}

void crew_dump_end(struct agent *a)
{
    agent_unlock(a);
    lock_give(&a->locks.dumps);
}

int crew_dump(struct agent *a, struct recording *r)
{
    bool is_running = crew_dump_begin_of(a, r);
    if (is_running) {
        a->last_dump.recording = r;
        a->last_dump.errors = log_errors();
        if (r->options.verbose)
            a->last_dump.line = AGENT_DUMP_BEGUN;
        dump_engines(a, r);
        if (r->ending == RECORDING_ENDS)
            r->ending = RECORDING_TOLD;
    }
    settle_dump(a, r);
    agent_lock(a);
    if (a->last_dump.line == AGENT_DUMP_BEGUN)
        say_if_written(a);
    crew_dump_end(a);
    return is_running ? 0 : E_VM_STATE;
}

int crew_dump_request(struct agent *a, struct recording *r, const struct net_command *c)
{
    const struct engine *e;
    int result = E_UNSUPPORTED;
    bool is_open;
    crew_dump_begin(a);
    is_open = is_there(a, r) && !a->dying;
    if (is_open)
        recording_catch_up(r);
    for (int at = 0; is_open && (e = engine_next_of(r->engines, &at)) != NULL;) {
        const struct engine_command *command = engine_command_of(e, c);
        int error = command ? command->answer(a, r, c) : E_UNSUPPORTED;
        if (error != E_UNSUPPORTED && (result == E_UNSUPPORTED || result == 0))
            result = error;
    }
    settle_dump(a, r);
    lock_give(&a->locks.dumps);
    return result;
}
