/*
 * cmd_props.c - `hprof props TARGET [NAME]`: the system properties of a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/asking.h"
#include "cli/jvm_target.h"
#include "cli/opts.h"
#include "cli/properties.h"
#include "cli/say.h"

enum { OPT_AGENT = ASKING_OPT_TIMEOUT + 1 };

static const struct opt options[] = {
    {OPT_AGENT, 0, "agent", NULL, "what the JVM tells its agents instead: command, options"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

struct request {
    const char *operation, *name; /* NULL: all */
};

static int print_rows(const struct properties *p, const struct request *r, const struct jvm *jvm)
{
    if (!r->name) {
        for (size_t i = 0; i < p->count; i++) {
            asking_put(p->rows[i].name, strlen(p->rows[i].name));
            putchar('=');
            asking_put(p->rows[i].value, strlen(p->rows[i].value));
            putchar('\n');
        }
        return CMD_OK;
    }
    const char *value = properties_find(p, r->name);
    if (!value) {
        say("%s: the JVM has no property '%s'", jvm_target_name(jvm), r->name);
        return CMD_FAILED;
    }
    asking_put(value, strlen(value));
    putchar('\n');
    return CMD_OK;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    struct attach_reply reply;
    struct properties p = {0};
    int status = asking_call(a, jvm, r->operation, NULL, 0, &reply);

    if (status == CMD_OK && properties_read(&p, reply.text, reply.text_len) < 0) {
        say("%s: out of memory", jvm_target_name(jvm));
        status = CMD_FAILED;
    }
    if (status == CMD_OK)
        status = print_rows(&p, r, jvm);
    properties_done(&p);
    attach_reply_done(&reply);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {.operation = "properties"};
    struct opts opts;

    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_AGENT)
            r.operation = "agentProperties";
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 1);
    r.name = line.words[0];
    return status != 0 ? status : asking_each(&line.q, ask, &r);
}

const struct cmd cmd_props = {
    .name = "props",
    .group = CMD_LOOKS,
    .help = "Print the system properties of a JVM",
    .operands = "TARGET [NAME]",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
