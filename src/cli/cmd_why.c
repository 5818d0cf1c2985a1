/*
 * cmd_why.c - `hprof why PID`: says whether a JVM can be asked, and if not, why. The process is not
 * touched.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/err.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "safe/clock.h"

static const struct opt options[] = {{0}};

static const char *text_of_state(char state)
{
    return state == 'T'   ? "stopped by a signal"
           : state == 't' ? "stopped by a debugger"
           : state == 'Z' ? "ended"
           : state == 'D' ? "waits for a disk"
                          : "runs";
}

/* Prints what is known about a process that could be read, whatever the verdict is. */
static void print_facts(const struct attach *a)
{
    const struct process *p = &a->socket.process;
    printf("process:  %d", (int)p->pid);
    if (p->inner_pid != p->pid)
        printf(", for itself %d in a namespace of processes", (int)p->inner_pid);
    printf("; %s; user %u, group %u; we are user %u, group %u\n", text_of_state(p->state),
           (unsigned)p->uid, (unsigned)p->gid,
           (unsigned)(a->before.is_changed ? a->before.uid : geteuid()),
           (unsigned)(a->before.is_changed ? a->before.gid : getegid()));
    if (!a->libjvm)
        return;
    fputs("VM:       ", stdout);
    say_clean(stdout, a->libjvm);
    printf("\nSIGQUIT:  %s\n",
           p->catches_quit ? "has a handler" : "has no handler: it would end it");
    printf("socket:   %s\n", attach_socket_is_there(&a->socket)
                                 ? "is there, the JVM has been asked before"
                                 : "is not there, the JVM would be told to make it");
    printf("/tmp:     %s\n", attach_socket_tmp_is_writable(&a->socket) ? "is there and writable"
                                                                       : "is missing or read-only");
    printf("counters: %s\n", a->counters.data.count > 0 ? "are in a file" : "have no file");
}

/* Prints what filters of system calls do to us and to the JVM. */
static void print_filters(const struct process *p)
{
    int stop = mem_stop_refused(), read = mem_live_refused();
    if (stop < 0)
        printf("refused:  ptrace (%s), here: 'stack' and 'top' need --no-stop\n", err_text(stop));
    if (read < 0)
        printf("refused:  process_vm_readv (%s), here: 'stack' and 'top' read /proc/%d/mem\n",
               err_text(read), (int)p->pid);
    if (p->has_filter)
        puts("filter:   the JVM has a filter of system calls (seccomp): if it refuses "
             "perf_event_open, the agent uses another timer");
}

static int explain(pid_t pid)
{
    struct attach a;
    enum attach_cause cause = attach_look(&a, pid, (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS);
    if (a.socket.process.pid != 0) {
        print_facts(&a);
        print_filters(&a.socket.process);
    }
    if (cause == ATTACH_OK)
        puts("verdict:  it can be asked");
    else
        printf("verdict:  %s: %s; %s\n", attach_cause_word(cause),
               cause == ATTACH_SYSTEM ? err_text(a.socket.error) : attach_cause_text(cause),
               cause == ATTACH_NOT_PERMITTED ? outside_remedy() : attach_cause_remedy(cause));
    attach_close(&a);
    return cause == ATTACH_OK ? CMD_OK : CMD_FAILED;
}

static int explain_core(const char *path)
{
    if (!outside_is_core(path)) {
        outside_say_no_core(path);
        return CMD_FAILED;
    }
    puts("verdict:  a core cannot be asked; 'hprof stack', 'info', 'flags', 'props' and 'counters' "
         "read it");
    return CMD_FAILED;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct jvms jvms;

    int status = asking_read(&line, argc, argv, 0);
    if (status >= 0)
        return status;
    if (outside_vm_is_core(line.q.target))
        return explain_core(line.q.target);
    status = jvm_target_find(self, line.q.target, JVM_TARGET_ONE, &jvms);
    if (status == 0)
        status = explain(jvms.rows[0].process.pid);
    jvms_done(&jvms);
    return status;
}

const struct cmd cmd_why = {
    .name = "why",
    .group = CMD_LOOKS,
    .help = "Say whether a JVM can be asked, and if not, why; it is not touched",
    .operands = "TARGET",
    .needs = "a process",
    .options = options,
    .run = run,
};
