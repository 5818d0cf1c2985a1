/*
 * life_end.c - see life_own.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life_own.h"
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/engine/beat.h"
#include "agent/engine/crew.h"
#include "agent/engine/crew_dump.h"
#include "agent/engine/weaving.h"
#include "agent/life/admit.h"
#include "agent/life/lease.h"
#include "agent/life/net_listen.h"
#include "agent/log.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_published.h"
#include "agent/scope/scope_virtual.h"
#include "base/err.h"
#include "safe/mem_self.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

enum { SETTLE_MS = 1000, SETTLE_STEP_MS = 50 };

/* The engines of all recordings except `r`. */
static engine_set engines_of_others(const struct agent *a, const struct recording *r)
{
    engine_set set = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i] != r)
            set |= a->recordings[i]->engines;
    return set;
}

static bool is_last(const struct agent *a, const struct recording *r)
{
    int count = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        count += a->recordings[i] && a->recordings[i] != r;
    return count == 0;
}

/* Mark the recording as ending. Returns whether this call did so, not an earlier one. */
static bool mark_ending(struct agent *a, struct recording *r, bool is_leaving)
{
    bool is_ours;
    agent_lock(a);
    is_ours = a->started && !a->dying && !recording_is_ending(r);
    if (is_ours) {
        r->ending = RECORDING_ENDS;
        a->is_leaving = is_leaving;
        a->dying = !is_leaving || is_last(a, r);
        if (a->dying)
            output_be_patient(&r->output, 1);
    }
    agent_unlock(a);
    return is_ours;
}

/*
 * Write the last tables of a recording; nothing is counted for it after that. If other recordings
 * go on, the wait for its file happens without the lock. At the very end nobody needs the lock.
 */
static void close_recording(struct agent *a, struct recording *r)
{
    bool goes_on = !a->dying;
    if (r->options.doe)
        crew_dump(a, r);
    crew_dump_begin(a); /* wait for a dump that another thread has asked for */
    crew_part(a, r);
    r->is_counting = false;
    recording_end(r);
    a->recordings[r->place] = NULL;
    admit_settle_kinds(a);
    a->closed = is_last(a, r);
    if (goes_on) {
        admit_fold(a);
        agent_unlock(a);
    }
    recording_close(r);
    if (!goes_on)
        agent_unlock(a);
    lock_give(&a->locks.dumps);
}

void life_end_all(struct agent *a)
{
    struct recording *open[AGENT_RECORDINGS];
    int count = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && (count > 0 || mark_ending(a, a->recordings[i], false)))
            open[count++] = a->recordings[i];
    if (count == 0)
        return;
    lease_end();
    beat_end();
    crew_stop(a, a->engines.at_work);
    for (int i = 0; i < count; i++) {
        output_be_patient(&open[i]->output, 1);
        close_recording(a, open[i]);
    }
}

void life_end_free(struct agent *a, struct recording *r)
{
    recording_release(r);
    if (a->profile && r->tally != profile_tally(a->profile))
        tally_free(r->tally);
    options_done(&r->options);
    if (a->recordings[r->place] == r)
        a->recordings[r->place] = NULL;
    if (a->coming == r)
        a->coming = NULL;
    life_loop_free(r->loop);
    free(r->line);
    free(r);
}

/*
 * Wait until no event of the VM is being handled. A data dump request is such an event, and may
 * take long. While the VM ends, its handler may wait for this thread; then there is no waiting,
 * because nothing has to be released.
 */
static bool events_settle(struct agent *a)
{
    bool is_settled = false;
    crew_dump_begin(a);
    crew_dump_end(a);
    for (int ms = 0; ms < SETTLE_MS && !is_settled && !a->vm_ends; ms += SETTLE_STEP_MS)
        is_settled = vm_event_settle(SETTLE_STEP_MS);
    /* a thread in a handler of ours may use everything that would be released */
    if (!is_settled && !a->vm_ends)
        log_error("an event of the VM is still being handled");
    return is_settled;
}

int life_end_release(struct agent *a, JNIEnv *env, struct recording *r, engine_set set)
{
    int error = net_listen_end(NULL);
    if (error || a->engines.stuck)
        return error ? error : E_UNSUPPORTED;
    vm_event_close();
    if (!events_settle(a))
        return -EBUSY;
    a->engines.stuck = crew_release(a, env, set | a->engines.at_work | a->engines.failed);
    if (a->engines.stuck)
        return E_UNSUPPORTED;
    scope_published_end();
    agent_lock(a);
    scope_virtual_end();
    scope_context_forget();
    a->started = 0;
    a->engines.at_work = a->engines.failed = 0;
    vm_close(&a->vm);
    threads_release(env);
    agent_forget_threads(a, env);
    life_end_free(a, r);
    options_done(&a->options);
    names_done(a->names);
    frame_room_done();
    profile_free(a->profile);
    a->profile = NULL;
    a->next_object = 0;
    a->last_dump = (struct agent_dump_state){.line = AGENT_DUMP_SAID};
    agent_unlock(a);
    mem_self_close(); /* faults in the VM are handled by the VM alone again */
    a->in_use = 0;
    return 0;
}

void life_end_release_failed(struct agent *a, JNIEnv *env)
{
    engine_set failed = a->engines.failed;
    a->engines.failed = 0;
    if (failed)
        a->engines.stuck |= events_settle(a) ? crew_release(a, env, failed) : failed;
}

void life_end_release_one(struct agent *a, JNIEnv *env, struct recording *r, engine_set gone)
{
    /*
     * If the listener thread still carries out a command of the peer, it reads `r`: then `r` is
     * never freed.
     */
    bool is_read = r->output.net && net_listen_end(r) != 0;

    agent_lock(a);
    a->engines.at_work &= ~gone;
    agent_unlock(a);
    if (gone)
        a->engines.stuck |= events_settle(a) ? crew_release(a, env, gone) : gone;
    life_end_release_failed(a, env);
    agent_lock(a);
    crew_retune(a);
    if (r->tally == profile_tally(a->profile))
        tally_clear(r->tally);
    if (!is_read)
        life_end_free(a, r);
    agent_unlock(a);
}

int life_end(struct agent *a, JNIEnv *env, struct recording *r)
{
    engine_set gone = r->engines & ~engines_of_others(a, r);
    if (!mark_ending(a, r, true))
        return E_VM_STATE;
    if (a->dying) {
        lease_end();
        beat_end();
    }
    crew_stop(a, gone);
    /* the VM goes on, and its classes get their own code back */
    bool is_to_follow = weaving_plan(env);
    if (!a->dying)
        a->is_leaving = false;
    close_recording(a, r);
    if (is_to_follow)
        weaving_carry_out(a, env, WEAVING_AWAITED);
    if (a->dying)
        life_end_release(a, env, r, r->engines);
    else
        life_end_release_one(a, env, r, gone);
    return 0;
}
