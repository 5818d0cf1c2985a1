/*
 * cmd_memory.c - `hprof memory TARGET...`: where the resident memory of JVMs is, in one table.
 *
 * Nothing is loaded into the JVMs, and they are neither asked nor stopped; only --nmt asks them,
 * and
 * --malloc and --trim load the agent.
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
#include "jvm/agent_link.h"
#include "jvm/agentlib.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "process/smaps.h"
#include "safe/clock.h"

enum {
    OPT_JSON = 1,
    OPT_TOP,
    OPT_NMT,
    OPT_MALLOC,
    OPT_TRIM,
    TARGETS_MOST = 64,
    TOP = 10,
    TOP_MOST = 1000000
};

static const struct opt options[] = {
    {OPT_TOP, 'n', "top", "N", "rows in each list (10)"},
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    {OPT_NMT, 0, "nmt", NULL, "also ask the VM for its own account (NativeMemoryTracking)"},
    {OPT_MALLOC, 0, "malloc", NULL, "also load the agent and ask glibc what malloc() keeps free"},
    {OPT_TRIM, 0, "trim", NULL, "like --malloc, and have glibc give what is free to the kernel"},
    {0},
};

struct request {
    const struct cmd *self;
    const char *targets[TARGETS_MOST];
    unsigned target_count, printed;
    bool is_json, wants_nmt, wants_malloc, trims;
    uint32_t top;
    char *library; /* of the agent; NULL: the one that this program carries */
};

/* What was asked of one JVM. */
struct answers {
    struct footprint_nmt nmt;
    struct footprint_kept kept;
    bool has_nmt, has_kept;
};

/* Ask for the VM's own account. */
static int ask_nmt(struct attach *a, const struct jvm *jvm, struct answers *ret)
{
    static const char *const args[] = {"VM.native_memory summary scale=KB"};
    struct attach_reply reply;
    int status = asking_call(a, jvm, "jcmd", args, 1, &reply);
    ret->has_nmt = status == CMD_OK && footprint_nmt_parse(reply.text, &ret->nmt) == 0;
    if (status == CMD_OK && !ret->has_nmt)
        say("%s: the VM keeps no account of its memory; it does from its start with "
            "-XX:NativeMemoryTracking=summary",
            jvm_target_name(jvm));
    attach_reply_done(&reply);
    return ret->has_nmt ? CMD_OK : CMD_FAILED;
}

/* Have the agent ask glibc, which loads it, and then have it trim: so the two resident sizes differ
 * only by that. Returns an exit status. */
static int send_malloc(const struct request *r, struct agent_link *link, pid_t pid,
                       struct footprint_kept *ret)
{
    int status = agent_link_send(link, "malloc");
    if (status == CMD_OK && r->trims) {
        bool has_before = smaps_rollup(pid, &ret->resident_before) == 0;
        say("%s: a thread that calls malloc() or free() waits while glibc gives the free memory of "
            "its arena back",
            jvm_target_name(link->jvm));
        status = agent_link_send(link, "malloc,trim=y");
        ret->is_trimmed =
            status == CMD_OK && has_before && smaps_rollup(pid, &ret->resident_after) == 0;
    }
    if (status != CMD_OK)
        return status;
    ret->taken = agent_link_number(link, "taken");
    ret->used = agent_link_number(link, "used");
    ret->kept = agent_link_number(link, "kept");
    ret->mapped = agent_link_number(link, "mapped");
    ret->kept_after = agent_link_number(link, "kept_after");
    return status;
}

static int ask_malloc(const struct request *r, struct attach *a, const struct jvm *jvm,
                      struct answers *ret)
{
    struct agent_link link;
    int status = agent_link_open(&link, a, jvm, r->library);
    if (status == CMD_OK)
        status = send_malloc(r, &link, jvm->process.pid, &ret->kept);
    if (link.end == AGENT_LINK_GONE)
        say("%s: the JVM has ended", jvm_target_name(jvm));
    ret->has_kept = status == CMD_OK;
    agent_link_close(&link);
    return status;
}

/* Ask the JVM for what it alone knows. Returns an exit status, after saying why it is no success.
 */
static int ask(const struct request *r, const struct jvm *jvm, const struct footprint *f,
               struct answers *ret)
{
    struct attach a;
    bool is_glibc = f->heaps.allocator == FOOTPRINT_GLIBC;
    int status = CMD_OK;
    *ret = (struct answers){0};
    if (r->wants_malloc && !is_glibc) {
        say("%s: malloc() is not that of glibc; only glibc can be asked", jvm_target_name(jvm));
        status = CMD_FAILED;
    }
    if (!r->wants_nmt && !(r->wants_malloc && is_glibc))
        return status;
    enum attach_cause cause =
        attach_open(&a, jvm->process.pid, (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS);
    if (cause != ATTACH_OK) {
        asking_say_cause(jvm_target_name(jvm), &a, cause);
        status = CMD_FAILED;
    }
    if (cause == ATTACH_OK && r->wants_nmt && ask_nmt(&a, jvm, ret) != CMD_OK)
        status = CMD_FAILED;
    if (cause == ATTACH_OK && r->wants_malloc && is_glibc && ask_malloc(r, &a, jvm, ret) != CMD_OK)
        status = CMD_FAILED;
    attach_close(&a);
    return status;
}

static int print(struct request *r, const struct jvm *jvm, const struct footprint *f,
                 const struct answers *answers)
{
    const struct footprint_asked asked = {.nmt = answers->has_nmt ? &answers->nmt : NULL,
                                          .kept = answers->has_kept ? &answers->kept : NULL};
    struct plainout out;
    int error = plainout_open(&out, r->is_json);
    if (error < 0)
        return error;
    if (r->is_json) {
        char *main = jvm->command ? strndup(jvm->command, main_class_len(jvm->command)) : NULL;
        sink_text(&out.sink, r->printed > 0 ? ",\n" : "[");
        footprint_print_json(&out.sink, f, main, &asked);
        free(main);
    } else {
        sink_text(&out.sink, r->printed > 0 ? "\n" : "");
        footprint_print_text(&out.sink, f, jvm_target_name(jvm), r->top, &asked);
    }
    r->printed++;
    return plainout_done(&out);
}

static int look(struct request *r, const struct jvm *jvm)
{
    struct footprint f;
    struct answers answers;
    const char *name = jvm_target_name(jvm);
    int status = CMD_OK, error = footprint_read(jvm->process.pid, &f);
    if (error == -EACCES || error == -EPERM) {
        say("%s: not permitted; %s", name, outside_remedy());
    } else if (error == -ESRCH && outside_say_ended(name, jvm->process.pid)) {
        status = CMD_FAILED;
    } else if (error == 0) {
        status = ask(r, jvm, &f, &answers);
        error = print(r, jvm, &f, &answers);
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
    case OPT_TRIM:
        r->trims = true;
        r->wants_malloc = true;
        return 0;
    case OPT_MALLOC:
        r->wants_malloc = true;
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
    if (r.wants_malloc && agentlib_find(NULL, &r.library) < 0)
        return CMD_FAILED;
    int status = look_all(&r);
    free(r.library);
    return status;
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
