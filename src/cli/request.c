/*
 * request.c - the options of `hprof run`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "request.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cmd.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/values.h"

enum {
    OPT_OUTPUT = 1,
    OPT_FORMAT,
    OPT_INTERVAL,
    OPT_DEPTH,
    OPT_THREADS,
    OPT_NO_LINES,
    OPT_CUTOFF,
    OPT_ENGINE,
    OPT_NATIVE,
    OPT_KERNEL,
    OPT_MEM,
    OPT_AGENT_OPTION,
    OPT_AGENT,
    OPT_TOP,
    OPT_QUIET,
    OPT_VERBOSE,
};

enum {
    DEPTH_MAX = 8192, /* the agent's */
    ROWS_MAX = 1000000,
    TOP_DEFAULT = 20,
    INTERVAL_MIN_NS = 10000, /* the agent's */
    MEM_MIN = 1024 * 1024,   /* the agent's */
};

const struct opt request_options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE",
     "write to FILE, .html: a flame graph; %p is the process id, %t the time "
     "(hprof-%p.txt)"},
    {OPT_FORMAT, 'f', "format", "a|b", "text or binary (b if FILE ends in .hprof, else a)"},
    {OPT_INTERVAL, 'i', "interval", "TIME", "CPU time between samples: 500us, 1ms, 1s (10ms)"},
    {OPT_DEPTH, 'd', "depth", "N", "frames to keep of a stack (512)"},
    {OPT_THREADS, 't', "threads", NULL, "count stacks of different threads apart"},
    {OPT_NO_LINES, 0, "no-lines", NULL, "leave line numbers out"},
    {OPT_CUTOFF, 0, "cutoff", "F", "leave out stacks below this fraction of the samples (0)"},
    {OPT_ENGINE, 'e', "engine", "NAME", "what raises the sampling signal (the best that works)"},
    {OPT_NATIVE, 0, "native", NULL, "C and C++ frames too, and threads that are not Java's"},
    {OPT_KERNEL, 0, "kernel", NULL, "the kernel's frames too, where it shows them"},
    {OPT_MEM, 0, "mem", "SIZE", "memory that the agent may take in each JVM (64m)"},
    {OPT_AGENT_OPTION, 'O', "agent-option", "NAME=VALUE",
     "pass this to the agent; may be repeated"},
    {OPT_AGENT, 0, "agent", "PATH", "the agent library, if it is not beside this command"},
    {OPT_TOP, 'n', "top", "N", "rows in each table of the summary (20)"},
    {OPT_QUIET, 'q', "quiet", NULL, "no summary"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "in the summary, all counts that say how far to trust it"},
    {0},
};

static void take_interval(const struct cmd *cmd, struct request *req, const char *text)
{
    uint64_t ns;
    char value[32];

    if (values_duration(cmd, "interval", text, &ns) < 0) {
        req->agent_options.failed = true;
        return;
    }
    if (ns < INTERVAL_MIN_NS) {
        say("run: --interval '%s': 10us at least", text);
        req->agent_options.failed = true;
        return;
    }
    snprintf(value, sizeof(value), "%" PRIu64 "ns", ns);
    inject_add(&req->agent_options, "interval", value, "--interval");
}

static void take_depth(const struct cmd *cmd, struct request *req, const char *text)
{
    uint32_t depth;
    char value[16];

    if (values_count(cmd, "depth", text, DEPTH_MAX, &depth) < 0) {
        req->agent_options.failed = true;
        return;
    }
    snprintf(value, sizeof(value), "%" PRIu32, depth);
    inject_add(&req->agent_options, "depth", value, "--depth");
}

static void take_cutoff(const struct cmd *cmd, struct request *req, const char *text)
{
    double fraction;

    if (values_fraction(cmd, "cutoff", text, &fraction) < 0)
        req->agent_options.failed = true;
    else
        inject_add(&req->agent_options, "cutoff", text, "--cutoff");
}

static void take_mem(const struct cmd *cmd, struct request *req, const char *text)
{
    uint64_t bytes = 0;

    if (values_size(cmd, "mem", text, &bytes) < 0) {
        req->agent_options.failed = true;
    } else if (bytes < MEM_MIN) {
        say("run: --mem '%s': 1m at least", text);
        req->agent_options.failed = true;
    } else {
        inject_add(&req->agent_options, "mem", text, "--mem");
    }
}

static void take_format(struct request *req, const char *text)
{
    if (strcmp(text, "a") == 0 || strcmp(text, "b") == 0) {
        req->binary = text[0] == 'b';
        return;
    }
    say("run: --format '%s': a for text or b for binary is wanted", text);
    req->agent_options.failed = true;
}

/* What run itself must set cannot be set twice, or would make it look in the wrong place. */
static void take_agent_option(struct request *req, const char *pair)
{
    static const struct {
        const char *name, *instead;
    } reserved[] = {
        {"file=", "use --output"},
        {"format=", "use --format"},
        {"net=", "run reads files only"},
        {"manifest=", "run needs it itself"},
        {"help=", "see 'man 7 hprof-agent'"},
    };

    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (strncmp(pair, reserved[i].name, strlen(reserved[i].name)) == 0) {
            say("run: --agent-option '%s': %s", pair, reserved[i].instead);
            req->agent_options.failed = true;
            return;
        }
    }
    inject_add_raw(&req->agent_options, pair, "--agent-option");
}

/* Options that the agent has too. */
static void pass_on(struct request *req, int id, const char *given)
{
    static const struct {
        int id;
        const char *name, *value, *shown; /* `value` NULL: the one that was given */
    } rows[] = {
        {OPT_THREADS, "thread", "y", "--threads"}, {OPT_NO_LINES, "lineno", "n", "--no-lines"},
        {OPT_ENGINE, "engine", NULL, "--engine"},  {OPT_NATIVE, "native", "y", "--native"},
        {OPT_KERNEL, "kernel", "y", "--kernel"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].id == id)
            inject_add(&req->agent_options, rows[i].name, rows[i].value ? rows[i].value : given,
                       rows[i].shown);
    }
}

int request_parse(const struct cmd *cmd, struct opts *opts, struct request *ret)
{
    int id;

    *ret = (struct request){.binary = -1, .top = TOP_DEFAULT};
    while ((id = opts_next(opts)) > 0) {
        switch (id) {
        case OPT_OUTPUT:
            ret->output = opts->value;
            break;
        case OPT_FORMAT:
            take_format(ret, opts->value);
            break;
        case OPT_INTERVAL:
            take_interval(cmd, ret, opts->value);
            break;
        case OPT_DEPTH:
            take_depth(cmd, ret, opts->value);
            break;
        case OPT_CUTOFF:
            take_cutoff(cmd, ret, opts->value);
            break;
        case OPT_MEM:
            take_mem(cmd, ret, opts->value);
            break;
        case OPT_AGENT_OPTION:
            take_agent_option(ret, opts->value);
            break;
        case OPT_AGENT:
            ret->agent = opts->value;
            break;
        case OPT_TOP:
            if (values_count(cmd, "top", opts->value, ROWS_MAX, &ret->top) < 0)
                ret->agent_options.failed = true;
            break;
        case OPT_QUIET:
            ret->quiet = true;
            break;
        case OPT_VERBOSE:
            ret->verbose = true;
            break;
        default:
            pass_on(ret, id, opts->value);
            break;
        }
        if (ret->agent_options.failed)
            return OPTS_ERROR;
    }
    return id;
}
