/*
 * cmd_props.c - `hprof props TARGET|CORE [NAME]`: the system properties of a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/redact_text.h"
#include "command/textbuf.h"
#include "jvm/outside.h"
#include "jvm/properties.h"
#include "command/say.h"
#include "hotspot/java_props.h"
#include "hotspot/oops.h"

enum { OPT_AGENT = ASKING_OPT_OWN, OPT_REDACT };

static const struct opt options[] = {
    {OPT_AGENT, 0, "agent", NULL, "what the JVM tells its agents instead: command, options"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    REDACT_TEXT_ROWS(OPT_REDACT),
    ASKING_OUTSIDE_ROWS,
    {0},
};

struct request {
    const char *operation, *name; /* name NULL: all properties */
    struct redact_text redact;
};

/* Prints a value, or what stands in its place. Some properties of the VM are command lines. */
static void put_value(struct request *r, const char *name, const char *value)
{
    static const char *const commands[] = {"sun.java.command", "sun.jvm.args", "sun.jvm.flags"};
    const struct secret *secret = redact_text_secret(&r->redact);
    struct textbuf t = {0};
    size_t i = 0;
    while (i < sizeof(commands) / sizeof(commands[0]) && strcmp(commands[i], name) != 0)
        i++;
    if (secret_has_key(secret, name)) {
        textbuf_text(&t, SECRET_INSTEAD);
        r->redact.count++;
    } else if (r->redact.is_off || i == sizeof(commands) / sizeof(commands[0])) {
        textbuf_text(&t, value);
    } else {
        r->redact.count += i == 0 ? redact_text_arguments(secret, value, strcspn(value, " "), &t)
                                  : redact_text_words(secret, value, strlen(value), &t);
    }
    asking_put(t.is_bad ? "?" : t.bytes ? t.bytes : "", t.is_bad ? 1 : t.len);
    putchar('\n');
    textbuf_done(&t);
}

/* Says how many values of this JVM were left out. */
static void say_redacted(struct request *r, const char *who)
{
    fflush(stdout);
    redact_text_say(&r->redact, who);
    r->redact.count = 0;
}

static int print_rows(const struct properties *p, struct request *r, const char *who)
{
    if (!r->name) {
        for (size_t i = 0; i < p->count; i++) {
            asking_put(p->rows[i].name, strlen(p->rows[i].name));
            putchar('=');
            put_value(r, p->rows[i].name, p->rows[i].value);
        }
        say_redacted(r, who);
        return CMD_OK;
    }
    const char *value = properties_find(p, r->name);
    if (!value) {
        say("%s: the JVM has no property '%s'", who, r->name);
        return CMD_FAILED;
    }
    put_value(r, r->name, value);
    say_redacted(r, who);
    return CMD_OK;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    struct request *r = with;
    struct attach_reply reply;
    struct properties p = {0};
    int status = asking_call(a, jvm, r->operation, NULL, 0, &reply);
    if (status == CMD_OK && properties_read(&p, reply.text, reply.text_len) < 0) {
        say("%s: out of memory", jvm_target_name(jvm));
        status = CMD_FAILED;
    }
    if (status == CMD_OK)
        status = print_rows(&p, r, jvm_target_name(jvm));
    properties_done(&p);
    attach_reply_done(&reply);
    return status;
}

static int look_at(void *context, const char *name, const char *value)
{
    return properties_add(context, name, value);
}

static int look(struct outside_vm *vm, void *with)
{
    struct properties p = {0};
    struct oops oops;
    const char *missing = "";
    uint32_t damage = 0;
    int status = CMD_FAILED, error = oops_init(&vm->target, &oops, &missing);
    if (error < 0) {
        outside_say_open(vm->name, error, missing, "");
        return CMD_FAILED;
    }
    error = java_props_each(&oops, look_at, &p, &damage);
    properties_sort(&p);
    if (error == E_VM_STATE)
        say("%s: the JVM has no properties yet: it was just starting, or its heap is not in the "
            "core",
            vm->name);
    else if (error < 0)
        say("%s: %s", vm->name, err_text(error));
    else
        status = print_rows(&p, with, vm->name);
    if (damage > 0)
        say("%s: %u propert%s cannot be read", vm->name, damage, plural_of(damage, "y", "ies"));
    properties_done(&p);
    return status;
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
        else if (id >= OPT_REDACT)
            status = redact_text_option(&r.redact, "props", id - OPT_REDACT, opts.value) < 0
                         ? CMD_USAGE
                         : -1;
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
