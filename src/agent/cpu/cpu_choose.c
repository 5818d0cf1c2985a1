/*
 * cpu_choose.c - see cpu_sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/cpu/cpu_sampler.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/names/frame_kernel.h"
#include "agent/stack_source/stack_source.h"
#include "agent/timer/rival.h"
#include "agent/timer/timer.h"
#include "base/err.h"
#include "options/options_cpu.h"
#include "options/options_signal.h"

/* The name of the signal was checked with the options. If no signal is named, this is a signal that
 * all timers can raise; the engine looks again when it starts, and may take another signal then. */
static int choose_signal(struct cpu_sampler *c, const struct options_cpu *own)
{
    const char *why;
    int signal = options_signal_named(own->signal, &why);
    c->keeps_signal = signal != 0;
    if (signal == 0)
        signal = rival_free_signal();
    return signal ? signal : SIGPROF;
}

static const struct timer_source *choose_timer(const struct options_cpu *own, int signal)
{
    const struct timer_source *source = timer_choose(own->timer, signal);
    int error;
    if (!source) {
        log_error(
            "no timer works here: there can be no samples. A container's seccomp rules may "
            "forbid perf_event_open, and ulimit -i (pending signals) timer_create: allow one");
        return NULL;
    }
    if (options_signal_is_realtime(signal) && !source->has_realtime) {
        log_error("timer=%s cannot raise the real-time signal %s: leave one of them out",
                  source->name, own->signal);
        return NULL;
    }
    error = source->probe();
    if (error) {
        log_error("timer=%s does not work here (%s): leave timer= out to have the best that does",
                  source->name, err_text(error));
        return NULL;
    }
    return source;
}

/* Check kernel=y. Kernel frames must be taken at the moment of the signal, and only the timers of
 * perf can do this. */
static int check_kernel(const struct cpu_sampler *c, const struct options_cpu *own)
{
    if (own->kernel && own->timer[0] && !c->source->probe_kernel) {
        log_error("timer=%s has no kernel frames: leave kernel=y or timer= out", own->timer);
        return E_UNSUPPORTED;
    }
    if (own->kernel && strcmp(own->walker, "jvmti") == 0) {
        log_error("walker=jvmti has no kernel frames: leave kernel=y or walker= out");
        return E_UNSUPPORTED;
    }
    return 0;
}

int cpu_choose(struct cpu_sampler *c, const struct options_cpu *own)
{
    int signal;
    if (own->native && own->walker[0] && !stack_source_has_native(own->walker)) {
        log_error("walker=%s has no native frames: leave native=y or walker= out", own->walker);
        return E_UNSUPPORTED;
    }
    signal = choose_signal(c, own);
    c->tick.signal = signal;
    c->source = choose_timer(own, signal);
    return c->source ? check_kernel(c, own) : E_UNSUPPORTED;
}

/* ---- frames of the kernel */

/* Whether perf_event_open is refused before the kernel looks at what is asked for: it would say
 * that the address is bad. */
static bool is_filtered(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 &&
           (errno == EPERM || errno == ENOSYS);
}

static void say_no_kernel(int error)
{
    static const char go_on[] = "going on without kernel frames";
    long paranoid = frame_kernel_setting("perf_event_paranoid");
    if (error == -EDQUOT)
        log_note("kernel=y: the memory that perf may lock is used up (%ld KB a processor): raise "
                 "kernel.perf_event_mlock_kb or ulimit -l; %s",
                 frame_kernel_setting("perf_event_mlock_kb"), go_on);
    else if ((error == -EACCES || error == -EPERM) && paranoid > 1 && !is_filtered())
        log_note("kernel=y: kernel.perf_event_paranoid is %ld, which hides the kernel from this "
                 "process: give it CAP_PERFMON, or set kernel.perf_event_paranoid to 1; %s",
                 paranoid, go_on);
    else if (error == -EACCES || error == -EPERM || error == -ENOSYS)
        log_note("kernel=y: perf_event_open is refused (%s), by a container's seccomp rules or a "
                 "security module: allow it there; %s",
                 err_text(error), go_on);
    else
        log_note("kernel=y: perf_event_open does not work here (%s); %s", err_text(error), go_on);
}

bool cpu_choose_kernel(const struct timer_source *source)
{
    int error = -ENOSYS;

    /*
     * If perf does not work here, another source was chosen. Ask perf anyway, because its error is
     * the reason to print.
     */
    for (int i = 0; timer_all[i]; i++)
        if (timer_all[i]->probe_kernel)
            error = timer_all[i]->probe_kernel();
    if (error)
        say_no_kernel(error);
    return !error && source->probe_kernel;
}
