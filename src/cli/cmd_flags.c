/*
 * cmd_flags.c - `hprof flags TARGET|CORE [NAME...]`: the flags of a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/flags_outside.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/say.h"

enum { OPT_ALL = ASKING_OPT_OWN };

static const struct opt options[] = {
    {OPT_ALL, 'a', "all", NULL, "all flags with their values, not only those that were set"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
    {0},
};

struct request {
    const struct asking_line *line;
    bool is_all;
};

/* If the JVM does not have the flag, it answers with a text and code 0. */
static int print_one(struct attach *a, const struct jvm *jvm, const char *name)
{
    struct attach_reply reply;
    int status = asking_call(a, jvm, "printflag", &name, 1, &reply);
    if (status == CMD_OK && attach_reply_says(&reply, "-XX:")) {
        asking_put(reply.text, strcspn(reply.text, "\n"));
        putchar('\n');
    } else if (status == CMD_OK) {
        say("%s: the JVM has no flag '%s'; 'hprof flags --all' lists them", jvm_target_name(jvm),
            name);
        status = CMD_FAILED;
    }
    attach_reply_done(&reply);
    return status;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    const char *const args[] = {r->is_all ? "VM.flags -all" : "VM.flags"};
    int status = CMD_OK;
    if (r->line->count == 0)
        return asking_print(a, jvm, "jcmd", args, 1);
    for (unsigned i = 0; i < r->line->count; i++) {
        int one = print_one(a, jvm, r->line->words[i]);
        status = one > status ? one : status;
    }
    return status;
}

static int look(struct outside_vm *vm, void *with)
{
    const struct request *r = with;
    int status = CMD_OK;
    if (r->line->count == 0)
        return flags_outside_print(vm, r->is_all);
    for (unsigned i = 0; i < r->line->count; i++) {
        int one = flags_outside_print_one(vm, r->line->words[i]);
        status = one > status ? one : status;
    }
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {.line = &line};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_ALL)
            r.is_all = true;
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, ASKING_WORDS);
    if (status != 0)
        return status;
    return asking_is_outside(&line) ? asking_each_outside(&line, look, &r)
                                    : asking_each(&line.q, ask, &r);
}

const struct cmd cmd_flags = {
    .name = "flags",
    .group = CMD_LOOKS,
    .help = "Print the flags of a JVM, alive or dead",
    .operands = "TARGET|CORE [NAME...]",
    .needs = "a live JVM or a core file",
    .options = options,
    .run = run,
};
