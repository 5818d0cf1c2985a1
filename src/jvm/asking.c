/*
 * asking.c - see asking.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/asking.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plain.h"
#include "command/cmd.h"
#include "command/help.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "command/values.h"
#include "safe/clock.h"

void asking_say_cause(const char *who, const struct attach *a, enum attach_cause cause)
{
    if (cause == ATTACH_SYSTEM)
        say("%s: %s", who, err_text(a->socket.error));
    else
        say("%s: %s; %s", who, attach_cause_text(cause),
            cause == ATTACH_NOT_PERMITTED ? outside_remedy() : attach_cause_remedy(cause));
    /* The attach protocol sends SIGQUIT to make the JVM open its socket. A JVM that takes the
     * signal only later prints its threads, because the file that asks for the socket is gone by
     * then. */
    if (a->socket.quits > 0 && (cause == ATTACH_NO_SOCKET || cause == ATTACH_INTERRUPTED))
        say("%s: when the JVM goes on it may print its threads on its own standard output, for the "
            "question that it did not take",
            who);
}

/* If the JVM could not be asked, and the command has --outside, name that option. */
static void say_other_way(const struct asking *q, const char *who, enum attach_cause cause)
{
    if (cause != ATTACH_GONE && cause != ATTACH_ZOMBIE && cause != ATTACH_NOT_PERMITTED &&
        cause != ATTACH_NOT_JVM && cause != ATTACH_INTERRUPTED && opts_row(q->cmd, "outside", 7))
        say("%s: '%s --outside' reads it without its help", who, q->cmd->name);
}

/* Looks at the JVM, and asks whether there is a reason to leave it alone. Returns an exit status.
 */
static int look_first(const struct asking *q, const struct jvm *jvm, uint64_t timeout_ns,
                      void *with)
{
    struct attach a;
    if (!q->refuse)
        return CMD_OK;
    enum attach_cause cause = attach_look(&a, jvm->process.pid, timeout_ns);
    /* The causes of failures are said when the JVM is opened. */
    int status = cause == ATTACH_OK ? q->refuse(&a, jvm, with) : CMD_OK;
    attach_close(&a);
    return status;
}

int asking_each(const struct asking *q, asking_job *job, void *with)
{
    uint64_t timeout_ns =
        q->timeout_ns != 0 ? q->timeout_ns : (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS;
    struct jvms jvms;
    int status =
        jvm_target_find(q->cmd, q->target, q->is_single ? JVM_TARGET_ONE : JVM_TARGET_MANY, &jvms);
    bool is_found = status == CMD_OK;
    for (uint32_t i = 0; is_found && i < jvms.count; i++) {
        const struct jvm *jvm = &jvms.rows[i];
        struct attach a;
        int one = look_first(q, jvm, timeout_ns, with);
        if (one != CMD_OK) {
            status = one > status ? one : status;
            continue;
        }
        one = CMD_FAILED;
        if (!q->is_data && (q->is_labelled || jvms.count > 1))
            printf("%d:\n", (int)jvm->process.pid);
        enum attach_cause cause = attach_open(&a, jvm->process.pid, timeout_ns);
        a.answer_ms = q->timeout_ns / NS_PER_MS;
        if (q->timeout_ns != 0 && a.answer_ms == 0)
            a.answer_ms = 1;
        if (cause == ATTACH_OK) {
            one = job(&a, jvm, with);
        } else {
            asking_say_cause(jvm_target_name(jvm), &a, cause);
            say_other_way(q, jvm_target_name(jvm), cause);
        }
        attach_close(&a);
        fflush(stdout);
        if (one > status)
            status = one;
    }
    jvms_done(&jvms);
    return status;
}

bool asking_is_outside(const struct asking_line *l)
{
    return l->is_outside || outside_vm_is_core(l->q.target);
}

static int each_live_outside(const struct asking *q, asking_outside_job *job, void *with)
{
    struct jvms jvms;
    int status =
        jvm_target_find(q->cmd, q->target, q->is_single ? JVM_TARGET_ONE : JVM_TARGET_MANY, &jvms);
    bool is_found = status == CMD_OK;
    for (uint32_t i = 0; is_found && i < jvms.count; i++) {
        pid_t pid = jvms.rows[i].process.pid;
        struct outside_vm vm;
        if (!q->is_data && (q->is_labelled || jvms.count > 1))
            printf("%d:\n", (int)pid);
        int one = outside_vm_open_live(jvm_target_name(&jvms.rows[i]), pid, &vm);
        if (one == CMD_OK)
            one = job(&vm, with);
        outside_vm_close(&vm);
        fflush(stdout);
        status = one > status ? one : status;
    }
    jvms_done(&jvms);
    return status;
}

int asking_each_outside(const struct asking_line *l, asking_outside_job *job, void *with)
{
    struct outside_vm vm;
    if (!outside_vm_is_core(l->q.target))
        return each_live_outside(&l->q, job, with);
    int status = outside_vm_open_core(l->q.target, &l->files, &vm);
    if (status == CMD_OK)
        status = job(&vm, with);
    if (vm.core.is_cut)
        say("%s: the core was cut: what is not in it is not shown", vm.name);
    outside_vm_close(&vm);
    return status;
}

int asking_call(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                unsigned count, struct attach_reply *ret)
{
    enum attach_cause cause = attach_call(a, name, args, count, ret);
    if (cause != ATTACH_OK) {
        asking_say_cause(jvm_target_name(jvm), a, cause);
        return CMD_FAILED;
    }
    if (ret->code == 0)
        return CMD_OK;
    int len = (int)(strcspn(ret->text, "\n"));
    if (len > 0)
        say("%s: the JVM says: %.*s", jvm_target_name(jvm), len, ret->text);
    else
        say("%s: the JVM refused the command '%s' and does not say why", jvm_target_name(jvm),
            name);
    return CMD_FAILED;
}

void asking_put(const char *text, size_t len)
{
    if (!isatty(STDOUT_FILENO)) {
        fwrite(text, 1, len, stdout);
        return;
    }
    while (len > 0) {
        size_t odd, n = plain_run(text, len, &odd);
        fwrite(text, 1, n, stdout);
        if (odd != 0)
            putchar(text[n] == '\n' || text[n] == '\t' ? text[n] : '?');
        text += n + odd;
        len -= n + odd;
    }
}

void asking_put_line(const char *line)
{
    say_clean(stdout, line);
    putchar('\n');
}

int asking_print(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                 unsigned count)
{
    struct attach_reply reply;
    int status = asking_call(a, jvm, name, args, count, &reply);
    if (status == CMD_OK)
        asking_put(reply.text, reply.text_len);
    attach_reply_done(&reply);
    return status;
}

int asking_take(struct asking_line *l, const struct opts *opts, int id)
{
    switch (id) {
    case ASKING_OPT_TIMEOUT:
        return values_duration(l->q.cmd, "timeout", opts->value, &l->q.timeout_ns) < 0 ? CMD_USAGE
                                                                                       : -1;
    case ASKING_OPT_OUTSIDE:
        l->is_outside = true;
        return -1;
    case ASKING_OPT_EXE:
        l->files.exe = opts->value;
        return -1;
    case ASKING_OPT_SYSROOT:
        l->files.sysroot = opts->value;
        return -1;
    case OPTS_WORD:
        if (!l->q.target) {
            l->q.target = opts->value;
        } else if (l->count < ASKING_WORDS) {
            l->words[l->count++] = opts->value;
        } else {
            say("%s: too many words, from '%s' on", l->q.cmd->name, opts->value);
            return CMD_USAGE;
        }
        return -1;
    case OPTS_HELP:
        help_cmd(stdout, l->q.cmd);
        return CMD_OK;
    default:
        return CMD_USAGE;
    }
}

int asking_check(const struct asking_line *l, unsigned max)
{
    const struct cmd *cmd = l->q.cmd;
    if (!l->q.target) {
        say("%s: no JVM named; usage: hprof %s [OPTION...] %s", cmd->name, cmd->name,
            cmd->operands);
        return CMD_USAGE;
    }
    if (l->count > max) {
        say("%s: not also '%s'; usage: hprof %s [OPTION...] %s", cmd->name, l->words[max],
            cmd->name, cmd->operands);
        return CMD_USAGE;
    }
    return 0;
}

int asking_read(struct asking_line *l, int argc, char **argv, unsigned max)
{
    struct opts opts;
    opts_init(&opts, l->q.cmd, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = asking_take(l, &opts, id);
        if (status >= 0)
            return status;
    }
    return asking_check(l, max) != 0 ? CMD_USAGE : -1;
}
