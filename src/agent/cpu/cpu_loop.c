/*
 * cpu_loop.c - see cpu_sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_sampler.h"
#include <errno.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/frame_kernel.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/timer/rival.h"
#include "base/err.h"
#include "options/options_cpu.h"
#include "safe/bell.h"
#include "safe/clock.h"
#include "safe/tick.h"

enum {
    DRAIN_MS = 100,
    RIVAL_MS = 4,          /* time between two looks for a rival (another profiler) */
    RIVALS_COME_MS = 3000, /* so often only for this time after the start */
};

/*
 * Another handler was installed in place of the agent's, for example by a profiler that came later.
 * The rival keeps the signal, and the agent takes another one. The signal is shared only if no
 * other signal is free, or if signal= names it.
 */
static void get_signal(struct cpu_sampler *c)
{
    int next = c->keeps_signal ? 0 : rival_free_signal();
    char before[RIVAL_NAME], after[RIVAL_NAME];
    if (next == c->tick.signal) /* the rival has gone and has left the signal without a handler */
        next = 0;
    rival_signal_name(c->tick.signal, before);
    if (next && slots_use_signal(&c->slots, next) == 0) {
        rival_signal_name(next, after);
        if (c->agent->options.verbose)
            log_note("another handler took %s; sampling goes on with %s", before, after);
    } else if (tick_reinstall()) {
        slots_restart(&c->slots);
        if (c->agent->options.verbose && !c->told_taken)
            log_note("the application changed who handles %s; it is taken back, and a handler of "
                     "the application still gets its own signals",
                     before);
        c->told_taken = 1;
    }
}

/* A thread without a timer has no samples. This is reported as an error, and not only as a number
 * in the file. */
static void say_refused(struct cpu_sampler *c)
{
    int error = c->slots.refused_error;
    if (!error || c->told_refused)
        return;
    c->told_refused = 1;
    if (error == -EAGAIN)
        log_error("a thread has no timer (%s: too many pending signals, see ulimit -i): its "
                  "samples are missing",
                  err_text(error));
    else
        log_error("a thread has no timer (%s): its samples are missing", err_text(error));
}

/*
 * Waits until the bell rings, at most DRAIN_MS. While two profilers use one signal, a timer of one
 * of them stops when both fire at once, because the kernel keeps only one of two pending signals.
 * Rivals mostly come when the program starts, so at that time the thread looks for them more often.
 */
static void wait_a_lap(struct cpu_sampler *c)
{
    uint32_t waited = 0;
    while (c->early_ms < RIVALS_COME_MS && waited < DRAIN_MS) {
        if (bell_wait(&c->wake, RIVAL_MS) || !tick_has_signal())
            return;
        c->early_ms += RIVAL_MS;
        waited += RIVAL_MS;
    }
    if (waited < DRAIN_MS)
        bell_wait(&c->wake, DRAIN_MS);
}

void JNICALL cpu_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct cpu_sampler *c = argument;
    struct agent *a = c->agent;
    c->slots.agent_tid = gettid();
    threads_begin_agent(a, env);
    while (!c->stop) {
        slots_look(&c->slots);
        wait_a_lap(c);
        if (options_cpu_of(&a->options)->native || frame_native_is_wanted())
            frame_native_look();
        if (c->tick.kernel_page)
            frame_kernel_load();
        agent_lock(a);
        if (!c->stop)
            cpu_drain(c);
        agent_unlock(a);
        if (!tick_has_signal())
            get_signal(c);
        say_refused(c);
        c->agent_cpu_ns = clock_thread_cpu_ns();
    }
    bell_ring(&c->stopped);
}
