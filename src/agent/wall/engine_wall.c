/*
 * engine_wall.c - event=wall: where threads spend their time, running or not.
 *
 * A thread of the agent looks at each thread of the program once an interval (wall_sampler.h).
 * Threads that wait, sleep or are in native code do not notice this (wall_look.h). Threads that run
 * Java get a signal and walk their own stack (safe/poke.h). docs/wall.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/sampling/sample_room.h"
#include "agent/stack_source/callstack.h"
#include "agent/stack_source/vm_walk.h"
#include "agent/wall/wall_sampler.h"
#include "base/err.h"
#include "base/plural.h"
#include "base/splitmix.h"
#include "options/options_wall.h"
#include "safe/clock.h"
#include "safe/walk_vm.h"
#include "vm/vmself.h"

enum {
    BETWEEN_MS = 2, /* between looks of one pass, as other threads want the agent's lock */
    /* pauses are this many times as long as looks: a tenth of a processor at most */
    PAUSE_SHARE = 9,
    VIRTUAL_PAUSE_SHARE = 19, /* the same for looks at virtual threads: a twentieth */
    STOP_WAIT_MS = 2000,
    QUIET_TRIES = 1000,
    QUIET_US = 1000,
};

static struct wall_sampler wall;
static struct vm_threads_row per_thread = {.bytes = sizeof(struct wall_thread)};

/* ---- the thread that looks */

/* A random moment of the round after `round`. */
static uint64_t next_pass_ns(uint64_t round)
{
    return wall.origin_ns + (round + 1) * wall.interval_ns +
           splitmix_next(&wall.random) % wall.interval_ns;
}

/* Take one turn of looks. Returns how long to pause after it, in ns. */
static uint64_t turn(void)
{
    uint64_t begun_ns = clock_thread_cpu_ns();
    if (wall.stop)
        return 0;
    wall_sampler_collect(&wall);
    wall_sampler_look(&wall);
    vm_walk_turn();
    return (clock_thread_cpu_ns() - begun_ns) * PAUSE_SHARE;
}

/* Take a turn of looks at virtual threads. Returns how long to pause after it, in ns. */
static uint64_t turn_virtual(JNIEnv *env)
{
    uint64_t begun_ns = clock_thread_cpu_ns();
    wall_virtual_look(&wall, env);
    return (clock_thread_cpu_ns() - begun_ns) * VIRTUAL_PAUSE_SHARE;
}

/*
 * Pause until the time is over or the engine stops. With walkin=thread, threads that were asked
 * ring the bell meanwhile, and this thread walks their stacks.
 */
static void pause_for(uint32_t ms)
{
    uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + (uint64_t)ms * NS_PER_MS;
    while (!wall.stop && now_ns < until_ns &&
           bell_wait(&wall.wake, (uint32_t)((until_ns - now_ns) / NS_PER_MS) + 1)) {
        poke_walk(&wall.poke);
        now_ns = clock_monotonic_ns();
    }
}

static void JNICALL look_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = wall.agent;
    uint64_t next_ns = next_pass_ns(0), next_virtual_ns = 0;
    threads_begin_agent(a, env);
    for (bool is_passing = false; !wall.stop;) {
        uint64_t now_ns = clock_monotonic_ns(), pause_ns = 0;
        bool begins = !is_passing && now_ns >= next_ns;
        if (begins && now_ns >= next_virtual_ns)
            next_virtual_ns = now_ns + turn_virtual(env);
        if (begins || is_passing) {
            agent_lock(a);
            if (begins) {
                next_ns = next_pass_ns(wall_sampler_round(&wall));
                wall_sampler_begin_pass(&wall);
            }
            pause_ns = turn();
            is_passing = wall.next != NULL;
            agent_unlock(a);
        } else {
            pause_ns = next_ns - now_ns;
        }
        pause_for((uint32_t)(pause_ns / NS_PER_MS) + (is_passing ? BETWEEN_MS : 1));
    }
    bell_ring(&wall.stopped);
}

/* ---- the engine */

static void thread_start(struct agent *a, struct thread *thread)
{
    if (wall.is_on)
        wall_sampler_enter(&wall, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    if (wall.is_on)
        wall_sampler_leave(&wall, thread);
}

static int prepare(const struct options *o)
{
    if (!wall.poke.cells)
        wall.poke.cells = sample_room_pages(POKE_CELLS * sizeof(*wall.poke.cells));
    if (wall.poke.cells)
        return 0;
    log_error("no memory for event=wall");
    return -ENOMEM;
}

/* A signal may meet running threads at any instruction, as for samples of CPU time. */
static int load(struct agent *a)
{
    vmself_turn_on("DebugNonSafepoints");
    return 0;
}

static int open_poke(const struct agent *a)
{
    int error, depth = a->options.depth < POKE_DEPTH ? a->options.depth : POKE_DEPTH;
    wall.poke.walker = &walk_vm;
    wall.poke.cell_count = POKE_CELLS;
    wall.poke.signal = SIGVTALRM;
    wall.poke.depth = (uint32_t)depth + OWN_CLASS_FRAMES;
    wall.poke.asker =
        options_wall_of(&a->options)->walkin == OPTIONS_WALL_THREAD ? &wall.wake : NULL;
    error = poke_open(&wall.poke);
    if (error == -EBUSY)
        log_error("event=wall: SIGVTALRM has another handler, perhaps another profiler's");
    else if (error)
        log_error("event=wall: SIGVTALRM cannot be had (%s)", err_text(error));
    return error;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *why_not;
    int error;
    wall.agent = a;
    callstack_open(a);
    if (!callstack_can_walk(&why_not)) {
        log_error("event=wall: nothing is measured: the stacks of this VM cannot be read from "
                  "outside (%s)",
                  why_not);
        return E_UNSUPPORTED;
    }
    error = poke_refused();
    if (error) {
        log_error("event=wall: nothing is measured: rt_tgsigqueueinfo, which asks running threads "
                  "for their stacks, is refused (%s); allow it in the container's seccomp profile",
                  err_text(error));
        return error;
    }
    error = open_poke(a);
    if (error)
        return error;
    wall.row = &per_thread;
    wall.interval_ns = options_wall_of(&a->options)->interval_ns;
    wall.random = clock_monotonic_ns() ^ (uint64_t)getpid() << 32;
    /* so that the first round is round 1 */
    wall.origin_ns = clock_monotonic_ns() - wall.interval_ns;
    wall.epoch++;
    wall.joins = 1;
    wall.is_on = wall.thread_runs =
        agent_run_thread(a, env, "HPROF wall sampling thread", look_loop, &wall) == 0;
    if (wall.thread_runs)
        return 0;
    poke_close(&wall.poke);
    log_error("event=wall: its thread cannot be started");
    return E_VM_STATE;
}

static int join(struct agent *a, struct recording *r)
{
    wall_sampler_settle(&wall);
    wall.joins++;
    wall_virtual_join(r);
    wall_sampler_join(&wall, r);
    return 0;
}

static void part(struct agent *a, struct recording *r)
{
    wall_sampler_part(&wall, r);
}

static int retune(struct agent *a)
{
    int depth = a->options.depth < POKE_DEPTH ? a->options.depth : POKE_DEPTH;
    wall.poke.depth = (uint32_t)depth + OWN_CLASS_FRAMES;
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct wall_counts *counts = &wall.of[r->place].counts;
    recording_set_quality(r, QUALITY_WALL_INTERVAL, wall.interval_ns);
    recording_set_quality(r, QUALITY_WALL_NO_JAVA, counts->no_java);
    recording_set_quality(r, QUALITY_WALL_FAILED, counts->failed);
    recording_set_quality(r, QUALITY_WALL_ENDED, counts->ended);
    recording_set_quality(r, QUALITY_WALL_RESTED, counts->rested);
    recording_set_quality(r, QUALITY_WALL_VIRTUAL, counts->virtual);
    recording_set_quality(r, QUALITY_WALL_VIRTUAL_HIDDEN, counts->hidden);
    recording_set_quality(r, QUALITY_WALL_LOST, counts->lost);
    recording_set_quality(r, QUALITY_WALL_STOPS, wall.poke.visits - wall.of[r->place].first_stops);
    recording_set_quality(r, QUALITY_WALL_STOPPED,
                          wall.poke.spent_ns - wall.of[r->place].first_stopped_ns);
    if (options_wall_chooses(options_wall_of(&r->options))) {
        recording_set_quality(r, QUALITY_WALL_LEFT_OUT, counts->left_out);
        recording_set_quality(r, QUALITY_WALL_LEFT_THREADS, counts->left_threads);
    }
}

static void dump(struct agent *a, struct recording *r)
{
    wall_sampler_settle(&wall);
    set_quality(r);
    recording_table(r, KIND_WALL);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    wall_sampler_settle(&wall);
    snprintf(ret, ENGINE_STATUS, "wall=%llu failed=%llu wall_lost=%llu",
             (unsigned long long)wall.of[r->place].counts.taken,
             (unsigned long long)wall.of[r->place].counts.failed,
             (unsigned long long)wall.of[r->place].counts.lost);
}

static void say(struct agent *a, struct recording *r)
{
    const struct wall_counts *counts = &wall.of[r->place].counts;
    if (options_wall_chooses(options_wall_of(&r->options)))
        log_note("wall-clock samples: %llu; %llu more are left out as chosen, among them all of "
                 "%llu thread%s",
                 (unsigned long long)counts->taken, (unsigned long long)counts->left_out,
                 (unsigned long long)counts->left_threads, plural_s(counts->left_threads));
}

static bool is_quiet(void)
{
    for (int i = 0; i < QUIET_TRIES && !poke_is_quiet(&wall.poke); i++)
        usleep(QUIET_US);
    return poke_is_quiet(&wall.poke);
}

/* After this a thread that ends has no question to answer, and is not counted here. */
static void stop(struct agent *a)
{
    if (!wall.thread_runs)
        return;
    wall.stop = true;
    bell_ring(&wall.wake);
    if (bell_wait(&wall.stopped, STOP_WAIT_MS))
        wall.thread_runs = false;
    poke_close(&wall.poke);
    is_quiet();
    agent_lock(a);
    wall_sampler_withdraw(&wall);
    wall_sampler_settle(&wall);
    wall.is_on = false;
    agent_unlock(a);
}

/* The cells are not freed, because a late signal reads them. */
static int release(struct agent *a, JNIEnv *env)
{
    struct poke_cell *cells = wall.poke.cells;
    uint32_t epoch = wall.epoch;
    if (wall.thread_runs || !is_quiet()) {
        log_error("event=wall: %s did not end in time",
                  wall.thread_runs ? "its thread" : "a signal handler");
        return -EBUSY;
    }
    if (wall.agent)
        callstack_close();
    wall_virtual_close(env);
    memset(&wall, 0, sizeof(wall));
    wall.poke.cells = cells;
    wall.epoch = epoch;
    return 0;
}

const struct engine engine_wall = {
    .name = "wall",
    .help = "event=wall, wall=<time>: where threads are, running or not, once an interval",
    .dumping = " wall-clock samples ...",
    .begun = "wall-clock samples",
    .options = &options_wall,
    .owns = {.per_thread = &per_thread, .counts = "wall_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .sharing = {.join = join, .part = part, .retune = retune},
    .dump = dump,
    .say = say,
    .status = status,
    .stop = stop,
    .release = release,
};
