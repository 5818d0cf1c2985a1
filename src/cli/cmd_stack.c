/*
 * cmd_stack.c - `hprof stack TARGET`: the stacks of all threads of a JVM, without its help.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/help.h"
#include "jvm/jvm_target.h"
#include "jvm/max_stop.h"
#include "command/opts.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "jvm/stack_print.h"
#include "mem/mem_core.h"
#include "mem/mem_live.h"
#include "process/process.h"
#include "safe/clock.h"
#include "snapshot/snapshot_live.h"

/* A deadlock has exit status 2, so a wrong command line has 1 here and not CMD_USAGE. */
enum { STATUS_DEADLOCK = 2 };

enum {
    OPT_NO_STOP = 1,
    OPT_MAX_STOP,
    OPT_EXE,
    OPT_SYSROOT,
    OPT_JAVA,
    OPT_NATIVE,
    OPT_VIRTUAL,
    OPT_JSON,
    FRAMES_MAX = 100000,
};

static const struct opt options[] = {
    {OPT_JAVA, 0, "java", NULL, "Java frames only"},
    {OPT_NATIVE, 0, "native", NULL, "also the threads that are not Java's"},
    {OPT_VIRTUAL, 0, "virtual", NULL, "also the virtual threads that are not mounted"},
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP},
    {OPT_NO_STOP, 0, "no-stop", NULL, "read the process while it runs; what it shows may be torn"},
    {OPT_EXE, 0, "exe", "FILE", "the core's java program here, its JDK beside it"},
    {OPT_SYSROOT, 0, "sysroot", "DIR", "the files of the core's machine are below this folder"},
    {0},
};

struct request {
    const char *target;
    struct outside_files files;
    enum snapshot_depth depth;
    struct mem_stop_bound bound;
    struct snapshot_left left; /* the threads and locks that were not read because of the bound */
    int no_stop, is_json, wants_virtuals;
};

static int print(const struct request *r, struct snapshot *s)
{
    snapshot_name_frames(s);
    if (r->is_json)
        stack_print_json(stdout, s);
    else
        stack_print_text(stdout, s);
    if (s->java.virtual_unreadable > 0 && r->left.virtuals == 0)
        say("%s: %u list%s of virtual threads, or entries there, could not be read (ZGC moved "
            "them, or they were being changed): virtual threads are missing",
            r->target, s->java.virtual_unreadable, plural_s(s->java.virtual_unreadable));
    if (s->java.is_untracked)
        say("%s: -Djdk.trackAllThreads=false: virtual threads that were started directly are not "
            "known",
            r->target);
    if (snapshot_has_unlisted(s))
        say("%s: virtual threads that are not mounted are not shown, nor deadlocks among them; "
            "--virtual shows them",
            r->target);
    if (s->locks.deadlock_count > 0)
        return STATUS_DEADLOCK;
    if (s->java.count == 0)
        say("%s: no Java threads: %s", r->target,
            s->is_core ? "the JVM was just starting or ending"
            : outside_is_young(s->pid)
                ? "the JVM is just starting or ending"
                : "the JVM is ending, or its list of threads cannot be read");
    return s->java.count > 0 ? CMD_OK : CMD_FAILED;
}

/* Says what was not read, because the process was to go on. */
static int say_left(const struct request *r, const struct snapshot *s)
{
    const struct snapshot_left *left = &r->left;
    char text[160] = "";
    int n = 0;
    if (left->threads > 0)
        n = snprintf(text, sizeof(text), "%u of %u thread%s%s", left->threads, left->thread_count,
                     plural_s(left->thread_count), left->virtuals > 0 ? " and " : "");
    if (left->virtuals > 0)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%u of %u virtual thread%s",
                      left->virtuals, left->virtual_count, plural_s(left->virtual_count));
    if (left->has_locks)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%ssome locks", n > 0 ? ", and " : "");
    if (r->bound.was_over && left->thread_count == 0)
        n = snprintf(text, sizeof(text), "the threads");
    if (n == 0)
        return CMD_OK;
    say("%s: stopped for %.1f ms, the bound of --max-stop: %s were not read", r->target,
        (double)s->stopped_ns / 1e6, text);
    return CMD_FAILED;
}

/* Look once while the process runs. This leaves the pages that we need in the cache, so the second
 * look, when the process is stopped, takes less time. */
static int look(const struct request *r, struct mem_live *live, struct snapshot *s)
{
    char what[64];
    uint64_t begin_ns = clock_monotonic_ns();
    int error = snapshot_live_look(s, live, r->depth, FRAMES_MAX);
    if (error == 0 && !r->no_stop) {
        snprintf(what, sizeof(what), "%u thread%s, %u virtual thread%s", s->java.platform_count,
                 plural_s(s->java.platform_count), snapshot_virtual_count(s),
                 plural_s(snapshot_virtual_count(s)));
        max_stop_say_before(r->target, clock_monotonic_ns() - begin_ns, r->bound.most_ns, what);
    }
    return error;
}

static int take_live(struct request *r, struct mem_live *live, struct snapshot *s)
{
    int stop_error = 0;
    s->pid = live->pid;
    int error = look(r, live, s);
    if (!r->no_stop)
        error = snapshot_live_take(s, live, r->depth, FRAMES_MAX, &r->bound, &r->left, &stop_error);
    bool is_frozen = stop_error == -ETIMEDOUT && process_is_frozen(live->pid);
    if (stop_error < 0 && !is_frozen) {
        outside_say_stop(r->target, live->pid, stop_error, &r->bound, true);
        return CMD_FAILED;
    }
    if (!is_frozen && r->bound.was_over && s->java.count == 0)
        return say_left(r, s);
    if (error < 0) {
        say("%s: %s", r->target, err_text(error));
        return CMD_FAILED;
    }
    int status = print(r, s);
    fflush(stdout);
    if (!is_frozen && say_left(r, s) != CMD_OK)
        return status == CMD_OK ? CMD_FAILED : status;
    if (is_frozen)
        say("%s: its control group is frozen: read as it is; the frames of threads that run Java "
            "code "
            "are not known",
            r->target);
    else if (r->no_stop)
        say("%s: read while it ran: stacks may be torn", r->target);
    else
        fprintf(stderr, "stopped for %.1f ms\n", (double)s->stopped_ns / 1e6);
    return status;
}

static int stack_live(struct request *r, pid_t pid)
{
    struct mem_live live;
    struct snapshot s = {0};
    const char *missing = "";
    int status = CMD_FAILED;

    int error = mem_live_open(pid, &live);
    if (error < 0) {
        outside_say_process(r->target, pid, error);
    } else if ((error = snapshot_open(&s, &live.image, r->wants_virtuals, &missing)) < 0) {
        outside_say_open_live(r->target, pid, error, missing);
    } else {
        status = take_live(r, &live, &s);
    }
    snapshot_close(&s);
    mem_live_close(&live);
    return status;
}

/* The target is the number of a process or a part of a JVM's name. */
static int stack_named(const struct cmd *self, const struct request *r)
{
    struct request one = *r;
    char pid[16];
    struct jvms jvms;
    int status = jvm_target_find(self, r->target, JVM_TARGET_ONE, &jvms) == 0 ? CMD_OK : CMD_FAILED;
    if (status == CMD_OK) {
        snprintf(pid, sizeof(pid), "%d", (int)jvms.rows[0].process.pid);
        one.target = pid;
        status = stack_live(&one, jvms.rows[0].process.pid);
    }
    jvms_done(&jvms);
    return status;
}

static int take_core(const struct request *r, const struct mem_core *core, struct snapshot *s)
{
    s->is_core = 1;
    s->pid = core->pid;
    s->signal = core->signal;
    /* For other signals the field of the address holds the sender of the signal. */
    s->has_fault = core->signal == SIGSEGV || core->signal == SIGBUS || core->signal == SIGILL ||
                   core->signal == SIGFPE;
    s->fault_addr = core->fault_addr;
    if (core->signal != 0)
        s->crashed = &core->image.threads[0];
    return snapshot_take(s, r->depth, FRAMES_MAX);
}

static int stack_core(const struct request *r)
{
    struct mem_core core;
    struct snapshot s = {0};
    const char *missing = "";
    int status = CMD_FAILED;
    if (outside_vm_read_core(r->target, &r->files, &core) != CMD_OK) {
        mem_core_close(&core);
        return CMD_FAILED;
    }
    int error = snapshot_open(&s, &core.image, r->wants_virtuals, &missing);
    if (error < 0) {
        outside_vm_say_core(r->target, &core, error, missing);
    } else if ((error = take_core(r, &core, &s)) < 0) {
        say("%s: %s", r->target, err_text(error));
        outside_vm_say_missing_files(r->target, &core);
    } else {
        status = print(r, &s);
        fflush(stdout);
        if (core.is_cut)
            say("%s: the core was cut: what is not in it is not shown", r->target);
        outside_vm_say_missing_files(r->target, &core);
    }
    snapshot_close(&s);
    mem_core_close(&core);
    return status;
}

/* A word with a slash and the name of an existing file are cores; a number is always a process. */
static bool is_file(const char *word)
{
    bool is_number = word[strspn(word, "0123456789")] == '\0';
    return !is_number && (strchr(word, '/') || access(word, F_OK) == 0);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    struct request r = {.depth = SNAPSHOT_MIXED, .bound.most_ns = max_stop_usual_ns};
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_NO_STOP:
            r.no_stop = 1;
            break;
        case OPT_MAX_STOP:
            if (max_stop_parse(self, opts.value, &r.bound.most_ns) < 0)
                return CMD_FAILED;
            break;
        case OPT_JAVA:
            r.depth = SNAPSHOT_JAVA;
            break;
        case OPT_NATIVE:
            r.depth = SNAPSHOT_THREADS;
            break;
        case OPT_VIRTUAL:
            r.wants_virtuals = 1;
            break;
        case OPT_JSON:
            r.is_json = 1;
            break;
        case OPT_EXE:
            r.files.exe = opts.value;
            break;
        case OPT_SYSROOT:
            r.files.sysroot = opts.value;
            break;
        case OPTS_WORD:
            if (r.target) {
                say("stack: one process or core at a time");
                return CMD_FAILED;
            }
            r.target = opts.value;
            break;
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        default:
            return CMD_FAILED;
        }
    }
    if (!r.target) {
        say("stack: no process named; usage: hprof stack [OPTION...] %s", self->operands);
        return CMD_FAILED;
    }
    return is_file(r.target) ? stack_core(&r) : stack_named(self, &r);
}

const struct cmd cmd_stack = {
    .name = "stack",
    .group = CMD_LOOKS,
    .help = "Print the stacks of all threads of a JVM, alive or dead, without its help",
    .operands = "TARGET|CORE",
    .needs = "a live JVM or a core file",
    .options = options,
    .run = run,
};
