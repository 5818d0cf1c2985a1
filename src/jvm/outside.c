/*
 * outside.c - see outside.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/outside.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "base/err.h"
#include "base/proc_ids.h"
#include "jvm/max_stop.h"
#include "command/say.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "mem/proc_stat.h"
#include "process/process.h"

enum { YOUNG_S = 60 };

bool outside_is_young(pid_t pid)
{
    double age_s = mem_live_age_s(pid);
    return age_s >= 0 && age_s < YOUNG_S;
}

void outside_say_open(const char *what, int error, const char *missing, const char *no_tables)
{
    if (error == E_FACT_MISSING)
        say("%s: this version of the VM is not known: it does not tell %s", what, missing);
    else if (error == E_NOT_FOUND)
        say("%s: not a JVM: it has no libjvm.so", what);
    else if (error == E_VM_STATE)
        say("%s: libjvm.so is there, but its tables are not filled: %s", what, no_tables);
    else
        say("%s: cannot read libjvm.so: %s", what, err_text(error));
}

void outside_say_open_live(const char *name, pid_t pid, int error, const char *missing)
{
    if (outside_say_ended(name, pid))
        return;
    outside_say_open(name, error, missing,
                     outside_is_young(pid) ? "the JVM is just starting; try again"
                                           : "no VM has started in this process, or its memory "
                                             "makes no sense");
}

bool outside_say_ended(const char *name, pid_t pid)
{
    struct mem_live live;
    bool is_gone = kill(pid, 0) != 0 && errno == ESRCH;
    bool is_zombie = !is_gone && mem_live_open(pid, &live) == -ESRCH;
    if (!is_gone)
        mem_live_close(&live);
    if (is_gone)
        say("%s: no such process", name);
    else if (is_zombie)
        say("%s: the process has ended; only its exit status is left (a zombie)", name);
    return is_gone || is_zombie;
}

const char *outside_remedy(void)
{
    return geteuid() == 0 ? "root lacks CAP_SYS_PTRACE here: give it that (docker run --cap-add "
                            "SYS_PTRACE), or run as the user of the process"
                          : "run as the user of the process, or as root";
}

void outside_say_process(const char *name, pid_t pid, int error)
{
    if (outside_say_ended(name, pid))
        return;
    if (error == -EPERM || error == -EACCES)
        say("%s: not permitted; %s, and see /proc/sys/kernel/yama/ptrace_scope", name,
            outside_remedy());
    else
        say("%s: %s", name, err_text(error));
}

/* Says why threads did not stop in time, from what /proc shows. */
static void say_late(const char *name, pid_t pid, const struct mem_stop_bound *bound)
{
    struct proc_ids tasks;
    struct proc_stat stat;
    pid_t asleep = 0;
    unsigned count = 0;
    if (proc_ids_open_threads(pid, &tasks) == 0) {
        for (pid_t tid; (tid = proc_ids_next(&tasks)) != 0; count++)
            if (proc_stat_read(pid, tid, &stat) == 0 &&
                *proc_stat_field(&stat, PROC_STAT_STATE) == 'D')
                asleep = tid;
        proc_ids_close(&tasks);
    }
    if (process_is_frozen(pid))
        say("%s: its control group is frozen, and its threads cannot be stopped; use --no-stop",
            name);
    else if (asleep != 0)
        say("%s: thread %d does not stop: it waits in the kernel for a device or a file system "
            "(state D); use --no-stop",
            name, (int)asleep);
    else if (bound->was_over)
        say("%s: its %u threads did not all stop within %s, the bound of --max-stop; try again, "
            "raise it, or use --no-stop",
            name, count, max_stop_text(bound->most_ns));
    else
        say("%s: its %u threads did not all stop in time: the machine is too busy; try again, or "
            "use --no-stop",
            name, count);
}

void outside_say_stop(const char *name, pid_t pid, int error, const struct mem_stop_bound *bound)
{
    pid_t tracer = mem_stop_tracer(pid);
    if (outside_say_ended(name, pid))
        return;
    if (error == -EPERM && tracer > 0)
        say("%s: process %d (a debugger?) traces it already; end that, or use --no-stop", name,
            (int)tracer);
    else if (error == -ETIMEDOUT)
        say_late(name, pid, bound);
    else
        outside_say_process(name, pid, error);
}
