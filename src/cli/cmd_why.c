/*
 * cmd_why.c - `hprof why PID`: says whether a JVM can be asked, and if not, why. The process is not
 * touched. `hprof why hs_err_pid1.log [CORE]`: says what ended a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plain.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "errorlog/errorlog.h"
#include "errorlog/errorlog_print.h"
#include "jvm/asking.h"
#include "jvm/counters_source.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "safe/clock.h"

enum { OPT_JSON = ASKING_OPT_OWN };

static const struct opt options[] = {
    {OPT_JSON, 0, "json", NULL, "print what an error log says as JSON"},
    ASKING_CORE_ROWS,
    {0},
};

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

/* ---- what ended a JVM */

/* The thread of the log, in the core of its process. */
static void find_thread(const struct mem_core *core, const struct errorlog *log,
                        struct errorlog_core *ret)
{
    for (uint32_t i = 0; i < core->image.thread_count; i++) {
        const struct image_thread *t = &core->image.threads[i];
        if ((uint64_t)t->tid != log->thread.tid || log->thread.tid == 0 || !t->has_regs)
            continue;
        ret->has_thread = true;
        ret->tid = (uint64_t)t->tid;
        ret->pc = t->regs.pc;
        ret->sp = t->regs.sp;
        ret->fp = t->regs.fp;
        plain_copy(ret->name, sizeof(ret->name), t->name);
        return;
    }
}

static int read_core(const char *path, const struct outside_files *files,
                     const struct errorlog *log, struct errorlog_core *ret)
{
    struct mem_core core;
    int status = outside_vm_read_core(path, files, &core);
    if (status == CMD_OK) {
        *ret = (struct errorlog_core){.path = path,
                                      .signal = core.signal,
                                      .pid = (uint64_t)core.pid,
                                      .is_same = log->pid != 0 && (uint64_t)core.pid == log->pid};
        if (ret->is_same)
            find_thread(&core, log, ret);
    }
    mem_core_close(&core);
    return status;
}

static int explain_log(const struct asking_line *line, bool is_json)
{
    const char *path = line->q.target;
    struct errorlog_core core = {0};
    struct plainout out;
    struct errorlog log;
    int error = errorlog_read(path, &log);
    if (error < 0 || log.kind == ERRORLOG_NONE) {
        say("why: %s: %s", path,
            error < 0 ? err_text(error)
                      : "not a fatal error log of a JVM (hs_err_pidN.log), nor a text with one");
        return CMD_FAILED;
    }
    if (line->count > 0 && read_core(line->words[0], &line->files, &log, &core) != CMD_OK)
        return CMD_FAILED;
    error = plainout_open(&out, is_json);
    if (error == 0) {
        if (is_json)
            errorlog_print_json(&out.sink, path, &log, &core);
        else
            errorlog_print_text(&out.sink, path, &log, &core);
        error = plainout_done(&out);
    }
    if (error < 0)
        say("why: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

/* A word with a '/', or the name of a regular file that is no core, is a log. */
static bool is_log(const char *word)
{
    return counters_source_is_file(word) && !outside_is_core(word);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct jvms jvms;
    struct opts opts;
    bool is_json = false;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = id == OPT_JSON ? -1 : asking_take(&line, &opts, id);
        is_json |= id == OPT_JSON;
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 1);
    if (status != 0)
        return status;
    if (is_log(line.q.target))
        return explain_log(&line, is_json);
    if (is_json || line.count > 0) {
        say("why: %s goes with the error log of a JVM (hs_err_pidN.log), and '%s' is no file",
            is_json ? "--json" : "a core", line.q.target);
        return CMD_USAGE;
    }
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
    .help =
        "Say whether a JVM can be asked, and if not, why; or what ended one, from its error log",
    .operands = "TARGET|FILE [CORE]",
    .needs = "a process, or an error log of a JVM",
    .options = options,
    .run = run,
};
