/*
 * engine_ttsp.c - event=ttsp: each time that threads came late to a safepoint, with the thread that
 * came last, its stack and the operation for which the VM stopped.
 *
 * ttsp.h says how. docs/ttsp.md says what a time means and what each JDK tells.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "agent/sampling/sample_room.h"
#include "agent/ttsp/ttsp.h"
#include "base/err.h"
#include "options/options_ttsp.h"
#include "safe/clock.h"
#include "safe/walk_vm.h"
#include "vm/vmself.h"

enum { STOP_WAIT_MS = 2000, QUIET_TRIES = 1000, QUIET_US = 1000 };

static struct ttsp ttsp;

static int prepare(const struct options *o)
{
    if (!ttsp.poke.cells)
        ttsp.poke.cells = sample_room_pages(TTSP_CELLS * sizeof(*ttsp.poke.cells));
    if (ttsp.poke.cells)
        return 0;
    log_error("no memory for event=ttsp");
    return -ENOMEM;
}

/* A signal may meet a late thread at any instruction, as for samples of CPU time. */
static int load(struct agent *a)
{
    vmself_turn_on("DebugNonSafepoints");
    return 0;
}

static int retune(struct agent *a)
{
    int depth = a->options.depth < POKE_DEPTH ? a->options.depth : POKE_DEPTH;
    ttsp.poke.depth = (uint32_t)depth + OWN_CLASS_FRAMES;
    atomic_store(&ttsp.least_ns, options_ttsp_of(&a->options)->threshold_ns);
    return 0;
}

static int open_poke(struct agent *a)
{
    int error = poke_refused();
    if (error) {
        log_error("event=ttsp: nothing is measured: rt_tgsigqueueinfo, which asks late threads for "
                  "their stacks, is refused (%s); allow it in the container's seccomp profile",
                  err_text(error));
        return error;
    }
    ttsp.poke.walker = &walk_vm;
    ttsp.poke.cell_count = TTSP_CELLS;
    ttsp.poke.signal = SIGVTALRM;
    retune(a);
    error = poke_open(&ttsp.poke);
    if (error)
        log_error(
            "event=ttsp: SIGVTALRM cannot be had (%s): it may have another profiler's handler",
            err_text(error));
    return error;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *why_not;
    int error;
    ttsp.agent = a;
    callstack_open(a);
    if (!callstack_can_walk(&why_not)) {
        log_error("event=ttsp: nothing is measured: the stacks of this VM cannot be read from "
                  "outside (%s)",
                  why_not);
        return E_UNSUPPORTED;
    }
    error = vm_safepoint_open(&ttsp.vm, &why_not);
    if (error < 0) {
        log_error("event=ttsp: nothing is measured: this VM does not tell of its safepoints (%s)",
                  error == E_FACT_MISSING ? why_not : err_text(error));
        return error;
    }
    ttsp.is_open = true;
    error = open_poke(a);
    if (error)
        return error;
    ttsp_watch_begin(&ttsp);
    ttsp.is_told = ttsp_watchpoint_open(&ttsp.watchpoint, vm_safepoint_word(&ttsp.vm));
    ttsp.watcher.runs =
        agent_run_thread(a, env, "HPROF safepoint thread", ttsp_watch_loop, &ttsp) == 0;
    if (ttsp.watcher.runs)
        return 0;
    ttsp_watchpoint_close(&ttsp.watchpoint);
    poke_close(&ttsp.poke);
    log_error("event=ttsp: its thread cannot be started");
    return E_VM_STATE;
}

static void thread_end(struct agent *a, struct thread *thread)
{
    ttsp_tell_ended(&ttsp, thread);
}

static int join(struct agent *a, struct recording *r)
{
    ttsp_tell(&ttsp, false);
    ttsp.of[r->place] = (struct ttsp_counts){0};
    ttsp.before[r->place] = (struct ttsp_counts){
        .shorter = ttsp.shorter, .shorter_ns = ttsp.shorter_ns, .lost = ttsp.lost};
    return 0;
}

static void beat(struct agent *a, JNIEnv *env)
{
    ttsp_tell(&ttsp, false);
}

static void set_quality(struct recording *r)
{
    const struct ttsp_counts *of = &ttsp.of[r->place], *before = &ttsp.before[r->place];
    uint64_t pace_ns = (uint64_t)ttsp_watch_pace_ms(&ttsp) * NS_PER_MS;
    bool is_exact = ttsp.vm.source <= VM_SAFEPOINT_CLOCKS;
    const struct quality_count rows[] = {
        {QUALITY_TTSP_PACE, ttsp.is_told ? 0 : pace_ns},
        {QUALITY_TTSP_RESOLUTION, is_exact ? 1 : pace_ns},
        {QUALITY_TTSP_SHORTER, of->shorter + ttsp.shorter - before->shorter},
        {QUALITY_TTSP_SHORTER_TIME, of->shorter_ns + ttsp.shorter_ns - before->shorter_ns},
        {QUALITY_TTSP_NOBODY, of->nobody},
        {QUALITY_TTSP_UNSEEN, of->unseen},
        {QUALITY_TTSP_AFTER, of->after},
        {QUALITY_TTSP_FAILED, of->failed},
        {QUALITY_TTSP_LOST, of->lost + ttsp.lost - before->lost},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    ttsp_tell(&ttsp, true);
    set_quality(r);
    recording_table(r, KIND_TTSP);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    ttsp_tell(&ttsp, false);
    snprintf(ret, ENGINE_STATUS, "late_safepoints=%llu",
             (unsigned long long)ttsp.of[r->place].events);
}

static bool is_quiet(void)
{
    for (int i = 0; i < QUIET_TRIES && !poke_is_quiet(&ttsp.poke); i++)
        usleep(QUIET_US);
    return poke_is_quiet(&ttsp.poke);
}

static void stop(struct agent *a)
{
    if (!ttsp.watcher.runs)
        return;
    ttsp.watcher.stop = true;
    bell_ring(&ttsp.watcher.wake);
    if (bell_wait(&ttsp.watcher.stopped, STOP_WAIT_MS))
        ttsp.watcher.runs = false;
    poke_close(&ttsp.poke);
    is_quiet();
}

/* The cells are not freed, because a late signal reads them. */
static int release(struct agent *a, JNIEnv *env)
{
    struct poke_cell *cells = ttsp.poke.cells;
    if (ttsp.watcher.runs || !is_quiet()) {
        log_error("event=ttsp: %s did not end in time",
                  ttsp.watcher.runs ? "its thread" : "a signal handler");
        return -EBUSY;
    }
    if (ttsp.is_open) {
        ttsp_watch_end(&ttsp);
        vm_safepoint_close(&ttsp.vm);
    }
    if (ttsp.agent)
        callstack_close();
    memset(&ttsp, 0, sizeof(ttsp));
    ttsp.poke.cells = cells;
    return 0;
}

const struct engine engine_ttsp = {
    .name = "ttsp",
    .help = "event=ttsp, ttsp=<time>: threads that come late to a safepoint, and their stacks",
    .dumping = " late safepoints ...",
    .begun = "late safepoints",
    .options = &options_ttsp,
    .owns = {.counts = "ttsp_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .thread_end = thread_end,
    .beat = beat,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .status = status,
    .stop = stop,
    .release = release,
};
