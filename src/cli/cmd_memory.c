/*
 * cmd_memory.c - `hprof memory TARGET...`: where the resident memory of JVMs is, in one table.
 *
 * Nothing is loaded into the JVMs, and they are neither asked nor stopped; only --nmt asks them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/main_class.h"
#include "base/err.h"
#include "base/sink.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/values.h"
#include "footprint/footprint.h"
#include "footprint/footprint_nmt.h"
#include "footprint/footprint_print.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "safe/clock.h"

enum { OPT_JSON = 1, OPT_TOP, OPT_NMT, TARGETS_MOST = 64, TOP = 10, TOP_MOST = 1000000 };

static const struct opt options[] = {
    {OPT_TOP, 'n', "top", "N", "rows in each list (10)"},
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    {OPT_NMT, 0, "nmt", NULL, "also ask the VM for its own account (NativeMemoryTracking)"},
    {0},
};

struct request {
    const struct cmd *self;
    const char *targets[TARGETS_MOST];
    unsigned target_count, printed;
    bool is_json, wants_nmt;
    uint32_t top;
};

/* The VM's own account. Returns false, after saying why, if there is none. */
static bool read_nmt(const struct jvm *jvm, struct footprint_nmt *ret)
{
    static const char *const args[] = {"VM.native_memory summary scale=KB"};
    struct attach a;
    struct attach_reply reply;
    bool is_read = false;
    enum attach_cause cause =
        attach_open(&a, jvm->process.pid, (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS);
    if (cause != ATTACH_OK) {
        asking_say_cause(jvm_target_name(jvm), &a, cause);
    } else {
        if (asking_call(&a, jvm, "jcmd", args, 1, &reply) == CMD_OK) {
            is_read = footprint_nmt_parse(reply.text, ret) == 0;
            if (!is_read)
                say("%s: the VM keeps no account of its memory; it does from its start with "
                    "-XX:NativeMemoryTracking=summary",
                    jvm_target_name(jvm));
        }
        attach_reply_done(&reply);
    }
    attach_close(&a);
    return is_read;
}

static int print(struct request *r, const struct jvm *jvm, const struct footprint *f,
                 const struct footprint_nmt *nmt)
{
    struct plainout out;
    int error = plainout_open(&out, r->is_json);
    if (error < 0)
        return error;
    if (r->is_json) {
        char *main = jvm->command ? strndup(jvm->command, main_class_len(jvm->command)) : NULL;
        sink_text(&out.sink, r->printed > 0 ? ",\n" : "[");
        footprint_print_json(&out.sink, f, main, nmt);
        free(main);
    } else {
        sink_text(&out.sink, r->printed > 0 ? "\n" : "");
        footprint_print_text(&out.sink, f, jvm_target_name(jvm), r->top, nmt);
    }
    r->printed++;
    return plainout_done(&out);
}

static int look(struct request *r, const struct jvm *jvm)
{
    struct footprint f;
    struct footprint_nmt nmt;
    const char *name = jvm_target_name(jvm);
    int status = CMD_OK, error = footprint_read(jvm->process.pid, &f);
    if (error == -EACCES || error == -EPERM) {
        say("%s: not permitted; %s", name, outside_remedy());
    } else if (error == -ESRCH) {
        say("%s: no such process; list the JVMs with 'hprof ps'", name);
    } else if (error == 0) {
        bool has_nmt = r->wants_nmt && read_nmt(jvm, &nmt);
        if (r->wants_nmt && !has_nmt)
            status = CMD_FAILED;
        error = print(r, jvm, &f, has_nmt ? &nmt : NULL);
        if (error < 0)
            say("memory: %s", err_text(error));
    } else {
        say("%s: %s", name, err_text(error));
    }
    footprint_done(&f);
    return error < 0 ? CMD_FAILED : status;
}

static int look_all(struct request *r)
{
    int status = CMD_OK;
    for (unsigned i = 0; i < r->target_count; i++) {
        struct jvms jvms = {0};
        int one = jvm_target_find(r->self, r->targets[i], JVM_TARGET_MANY, &jvms);
        status = one > status ? one : status;
        for (uint32_t j = 0; one == CMD_OK && j < jvms.count; j++) {
            int each = look(r, &jvms.rows[j]);
            status = each > status ? each : status;
        }
        jvms_done(&jvms);
    }
    if (r->is_json) {
        say_out("%s", r->printed > 0 ? "]" : "[]");
        putchar('\n');
    }
    return status;
}

static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_JSON:
        r->is_json = true;
        return 0;
    case OPT_NMT:
        r->wants_nmt = true;
        return 0;
    case OPT_TOP:
        return values_count(r->self, "top", value, TOP_MOST, &r->top);
    case OPTS_WORD:
        if (r->target_count == TARGETS_MOST) {
            say("memory: at most %d targets at once", TARGETS_MOST);
            return E_SYNTAX;
        }
        if (outside_vm_is_core(value)) {
            say("memory: %s: a core does not say what was resident; 'hprof memory' reads live "
                "processes",
                value);
            return E_SYNTAX;
        }
        r->targets[r->target_count++] = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.self = self, .top = TOP};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, id, opts.value) < 0)
            return CMD_USAGE;
    }
    if (r.target_count == 0) {
        say("memory: no JVM named; usage: hprof memory [OPTION...] %s", self->operands);
        return CMD_USAGE;
    }
    return look_all(&r);
}

const struct cmd cmd_memory = {
    .name = "memory",
    .group = CMD_LOOKS,
    .help =
        "Print where the resident memory of a JVM is: heap, metaspace, code, stacks, malloc, files",
    .operands = "TARGET...",
    .needs = "a live JVM",
    .others = "pmap smem",
    .options = options,
    .run = run,
};
