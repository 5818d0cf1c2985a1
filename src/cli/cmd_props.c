/*
 * cmd_props.c - `hprof props TARGET|CORE [NAME]`: the system properties of a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/asking.h"
#include "cli/jvm_target.h"
#include "cli/opts.h"
#include "cli/outside.h"
#include "cli/properties.h"
#include "cli/say.h"
#include "hotspot/java_props.h"
#include "hotspot/oops.h"

enum { OPT_AGENT = ASKING_OPT_OWN };

static const struct opt options[] = {
    {OPT_AGENT, 0, "agent", NULL, "what the JVM tells its agents instead: command, options"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
    {0},
};

struct request {
    const char *operation, *name; /* NULL: all */
};

static void put_row(const char *name, const char *value)
{
    asking_put(name, strlen(name));
    putchar('=');
    asking_put(value, strlen(value));
    putchar('\n');
}

static int print_rows(const struct properties *p, const struct request *r, const struct jvm *jvm)
{
    if (!r->name) {
        for (size_t i = 0; i < p->count; i++)
            put_row(p->rows[i].name, p->rows[i].value);
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

struct looking {
    const char *name; /* NULL: all */
    struct looking_row {
        char *name, *value;
    } * rows;
    size_t count, room;
};

static int keep_row(struct looking *l, const char *name, const char *value)
{
    if (l->count == l->room) {
        size_t room = l->room != 0 ? 2 * l->room : 64;
        struct looking_row *rows = realloc(l->rows, room * sizeof(*rows));

        if (!rows)
            return -ENOMEM;
        l->rows = rows;
        l->room = room;
    }
    struct looking_row row = {strdup(name), strdup(value)};
    l->rows[l->count++] = row;
    return row.name && row.value ? 0 : -ENOMEM;
}

static int look_at(void *context, const char *name, const char *value)
{
    struct looking *l = context;

    return l->name && strcmp(name, l->name) != 0 ? 0 : keep_row(l, name, value);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct looking_row *)a)->name, ((const struct looking_row *)b)->name);
}

static void print_looking(const struct looking *l)
{
    if (l->count > 1)
        qsort(l->rows, l->count, sizeof(*l->rows), by_name);
    for (size_t i = 0; i < l->count; i++) {
        if (!l->name) {
            put_row(l->rows[i].name, l->rows[i].value);
            continue;
        }
        asking_put(l->rows[i].value, strlen(l->rows[i].value));
        putchar('\n');
    }
}

static void looking_done(struct looking *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->rows[i].name);
        free(l->rows[i].value);
    }
    free(l->rows);
}

static int look(struct outside_vm *vm, void *with)
{
    const struct request *r = with;
    struct looking l = {.name = r->name};
    struct oops oops;
    const char *missing = "";
    uint32_t damage = 0;
    int error = oops_init(&vm->target, &oops, &missing);

    if (error < 0) {
        outside_say_open(vm->name, error, missing, "");
        return CMD_FAILED;
    }
    error = java_props_each(&oops, look_at, &l, &damage);
    if (error == E_VM_STATE)
        say("%s: the JVM has no properties yet: it was just starting, or its heap is not in the "
            "core",
            vm->name);
    else if (error < 0)
        say("%s: %s", vm->name, err_text(error));
    else
        print_looking(&l);
    if (damage > 0)
        say("%s: %u properties cannot be read", vm->name, damage);
    bool is_unknown = error == 0 && l.name && l.count == 0;
    if (is_unknown)
        say("%s: the JVM has no property '%s'", vm->name, l.name);
    looking_done(&l);
    return error < 0 || is_unknown ? CMD_FAILED : CMD_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {.operation = "properties"};
    bool is_agent = false;
    struct opts opts;

    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_AGENT)
            is_agent = true;
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 1);
    r.name = line.words[0];
    if (is_agent)
        r.operation = "agentProperties";
    if (status != 0)
        return status;
    if (!asking_is_outside(&line))
        return asking_each(&line.q, ask, &r);
    if (is_agent) {
        say("props: --agent asks the JVM itself: it goes with neither --outside nor a core");
        return CMD_USAGE;
    }
    return asking_each_outside(&line, look, &r);
}

const struct cmd cmd_props = {
    .name = "props",
    .group = CMD_LOOKS,
    .help = "Print the system properties of a JVM, alive or dead",
    .operands = "TARGET|CORE [NAME]",
    .needs = "a live JVM or a core file",
    .options = options,
    .run = run,
};
