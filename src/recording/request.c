/*
 * request.c - reads the options of `hprof run`, and makes those of its JVMs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/request.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/cmd.h"
#include "recording/agent_words.h"
#include "recording/debug_on.h"
#include "recording/run_file.h"
#include "command/opts.h"
#include "jvm/own_words.h"
#include "command/say.h"
#include "command/values.h"
#include "options/options_row.h"
#include "options/options_group.h"
#include "options/options_parse.h"

enum {
    OPT_OUTPUT = 1,
    OPT_FORMAT,
    OPT_EVENT,
    OPT_ON,
    OPT_DEBUG_ON,
    OPT_DEBUG_PORT,
    OPT_INTERVAL,
    OPT_DEPTH,
    OPT_DURATION,
    OPT_THREADS,
    OPT_WALL_THREADS,
    OPT_WALL_STATES,
    OPT_WALL_DAEMON,
    OPT_NO_LINES,
    OPT_CUTOFF,
    OPT_TIMER,
    OPT_NATIVE,
    OPT_KERNEL,
    OPT_MEM,
    OPT_AGENT_OPTION,
    OPT_AGENT,
    OPT_TOP,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_ALL,
    OPT_PRINT_OPTIONS,
};

enum {
    ROWS_MAX = 1000000,
    TOP_DEFAULT = 20,
    PORT_MAX = 65535,
};

const struct opt request_options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE",
     "write to FILE, .html: a flame graph; %p is the process id, %t the time "
     "(hprof-%p.txt)"},
    {OPT_FORMAT, 'f', "format", "a|b", "text or binary (b if FILE ends in .hprof, else a)"},
    {OPT_EVENT, 'e', "event", "NAMES", "what is measured, as in cpu+alloc; may be repeated (cpu)"},
    {OPT_ON, 0, "on", "TRIGGER", AGENT_WORDS_ON_HELP},
    {OPT_DEBUG_ON, 0, "debug-on", "WHAT", DEBUG_ON_HELP},
    {OPT_DEBUG_PORT, 0, "debug-port", "N",
     "the port that a debugger finds then (one that is free)"},
    {OPT_INTERVAL, 'i', "interval", "TIME", "CPU time between samples: 500us, 1ms, 1s (10ms)"},
    {OPT_DEPTH, 'd', "depth", "N", "frames to keep of a stack (512)"},
    {OPT_DURATION, 0, "duration", "TIME",
     "measure for so long, then let the program go on; a bare number is seconds"},
    {OPT_THREADS, 't', "threads", NULL, "count stacks of different threads apart"},
    AGENT_WORDS_WALL_ROWS(OPT_WALL_THREADS, OPT_WALL_STATES, OPT_WALL_DAEMON),
    {OPT_NO_LINES, 0, "no-lines", NULL, "leave line numbers out"},
    {OPT_CUTOFF, 0, "cutoff", "F", "leave out stacks below this fraction of the samples (0)"},
    {OPT_TIMER, 0, "timer", "NAME", "what raises the sampling signal (the best that works)"},
    {OPT_NATIVE, 0, "native", NULL, "C and C++ frames too, and threads that are not Java's"},
    {OPT_KERNEL, 0, "kernel", NULL, "the kernel's frames too, where it shows them"},
    {OPT_MEM, 0, "mem", "SIZE", "memory that the agent may take in each JVM (64m)"},
    {OPT_AGENT_OPTION, 'O', "agent-option", "NAME=VALUE",
     "pass this to the agent; may be repeated"},
    {OPT_AGENT, 0, "agent", "PATH", "an agent library in place of the command's own"},
    {OPT_ALL, 0, "all", NULL, "the JVMs of Maven, Gradle and the like, too"},
    {OPT_PRINT_OPTIONS, 0, "print-options", NULL,
     "print the JVM's options, for an IDE or a script, and run nothing"},
    {OPT_TOP, 'n', "top", "N", "rows in each table of the summary (20)"},
    {OPT_QUIET, 'q', "quiet", NULL, "no summary"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "in the summary, all counts that say how far to trust it"},
    {0},
};

const struct project_option request_project[] = {
    {OPT_OUTPUT, PROJECT_OUTPUT},   {OPT_FORMAT, PROJECT_ANY},       {OPT_EVENT, PROJECT_ANY},
    {OPT_INTERVAL, PROJECT_ANY},    {OPT_DEPTH, PROJECT_ANY},        {OPT_DURATION, PROJECT_ANY},
    {OPT_THREADS, PROJECT_ANY},     {OPT_WALL_THREADS, PROJECT_ANY}, {OPT_WALL_STATES, PROJECT_ANY},
    {OPT_WALL_DAEMON, PROJECT_ANY}, {OPT_NO_LINES, PROJECT_ANY},     {OPT_CUTOFF, PROJECT_ANY},
    {OPT_TIMER, PROJECT_ANY},       {OPT_NATIVE, PROJECT_ANY},       {OPT_KERNEL, PROJECT_ANY},
    {OPT_MEM, PROJECT_ANY},         {OPT_ALL, PROJECT_ANY},          {OPT_TOP, PROJECT_ANY},
    {OPT_QUIET, PROJECT_ANY},       {OPT_VERBOSE, PROJECT_ANY},      {0, PROJECT_ANY},
};

static const char *shown_name(int id)
{
    const struct opt *opt = request_options;
    while (opt->id != id)
        opt++;
    return opt->name;
}

static void take_event(const struct cmd *cmd, struct request *req, const char *text)
{
    const struct options_group *owner;
    const struct options_row *timer = options_parse_row("timer", &owner);
    char why[OPTIONS_MESSAGE];

    /* In earlier versions -e named a timer, and it does so in async-profiler. */
    if (text[0] && options_row_check(timer, text, why, sizeof(why)) == 0) {
        say("run: --event '%s': that is a timer: use --timer %s", text, text);
        req->agent_options.failed = true;
        return;
    }
    if (agent_words_check_event(cmd, text) != 0) {
        req->agent_options.failed = true;
        return;
    }
    agent_words_add_event(cmd, &req->measured, text, &req->drawn);
    req->agent_options.failed |= req->measured.failed;
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

/* `run` sets some options itself. A second value would be an error, or `run` would look for the
 * file in the wrong place. */
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

int request_parse(const struct cmd *cmd, struct opts *opts, struct request *ret)
{
    int id;
    *ret = (struct request){.binary = -1,
                            .top = TOP_DEFAULT,
                            .measured.command = cmd->name,
                            .watched.command = cmd->name,
                            .agent_options.command = cmd->name};
    while ((id = opts_next(opts)) > 0) {
        switch (id) {
        case OPT_OUTPUT:
            ret->output = opts->value;
            break;
        case OPT_FORMAT:
            take_format(ret, opts->value);
            break;
        case OPT_EVENT:
            take_event(cmd, ret, opts->value);
            break;
        case OPT_ON:
            agent_words_add_on(&ret->watched, opts->value);
            break;
        case OPT_DEBUG_ON:
            ret->debug_on = opts->value;
            break;
        case OPT_DEBUG_PORT:
            if (values_count(cmd, "debug-port", opts->value, PORT_MAX, &ret->debug_port) < 0)
                ret->agent_options.failed = true;
            break;
        case OPT_AGENT_OPTION:
            ret->has_agent_options = true;
            take_agent_option(ret, opts->value);
            break;
        case OPT_AGENT:
            ret->agent = opts->value;
            break;
        case OPT_TOP:
            if (values_count(cmd, "top", opts->value, ROWS_MAX, &ret->top) < 0)
                ret->agent_options.failed = true;
            break;
        case OPT_ALL:
            ret->all = true;
            break;
        case OPT_PRINT_OPTIONS:
            ret->print_options = true;
            break;
        case OPT_QUIET:
            ret->quiet = true;
            break;
        case OPT_VERBOSE:
            ret->verbose = true;
            break;
        default:
            agent_words_pass(cmd, &ret->agent_options, shown_name(id), opts->value);
            break;
        }
        if (ret->agent_options.failed || ret->watched.failed)
            return OPTS_ERROR;
    }
    return id;
}

bool request_measures(const struct request *req)
{
    return !req->debug_on || req->measured.text || req->watched.text || req->has_agent_options;
}

bool request_has_moments(const struct request *req)
{
    const char *more = req->agent_options.text;
    struct options options;
    struct options_error why;
    char *line = NULL;
    bool has = false;
    if (asprintf(&line, "%s%s%s,format=jfr", req->measured.text ? req->measured.text : "event=cpu",
                 more ? "," : "", more ? more : "") >= 0) {
        has = options_parse(line, NULL, &options, &why) == 0 && options_group_has_moments(&options);
        options_done(&options);
    }
    free(line);
    return has;
}

int request_check(const struct cmd *cmd, const struct request *req, const char *format)
{
    struct options options;
    struct options_error why;
    char *line = NULL;
    int error = -ENOMEM;
    if (asprintf(&line, "%s%s%s,format=%s", req->measured.text ? req->measured.text : "event=cpu",
                 req->watched.text ? "," : "", req->watched.text ? req->watched.text : "",
                 format) >= 0) {
        error = options_parse(line, NULL, &options, &why);
        if (error == 0)
            error = options_group_works_here(&options, why.text, sizeof(why.text));
        options_done(&options);
    }
    if (error)
        own_words_say(cmd, error == -ENOMEM ? strerror(ENOMEM) : why.text);
    free(line);
    return error;
}

/* ---- the options for the JVMs */

/* The option for the format; NULL: the agent takes it from the file's name. */
static const char *format_of(const struct run_file *output)
{
    if (output->is_agents_picture)
        return NULL;
    if (output->is_recording || output->is_timed)
        return "format=jfr";
    return output->binary ? "format=b" : "format=a";
}

static void add_measured(struct inject *all, const struct request *req,
                         const struct run_file *output, const char *manifest)
{
    const char *format = format_of(output);
    if (req->measured.text)
        inject_add_all(all, &req->measured);
    else
        inject_add_raw(all, "cpu=samples", "");
    inject_add_raw(all, "depth=512", "");
    inject_add_raw(all, "cutoff=0", "");
    inject_add_raw(all, "verbose=n", "");
    inject_add_raw(all, "force=n", "");
    inject_add_raw(all, "expand=y", "");
    if (manifest && !req->all)
        inject_add_raw(all, "tools=n", "");
    if (req->debug_is_asked)
        inject_add_raw(all, "onjcmd=y", "");
    if (format)
        inject_add_raw(all, format, "");
    inject_add(all, "file", output->path, "--output");
    if (manifest)
        inject_add(all, "manifest", manifest, "temporary file");
    inject_add_all(all, &req->watched);
    /* Last, because the agent uses the last value of an option. */
    inject_add_all(all, &req->agent_options);
}

char *request_tool_options(const struct request *req, const struct run_file *output,
                           const char *manifest, const char *library, const char *before)
{
    char *value = NULL;
    struct inject all = {.command = "run"};
    if (request_measures(req))
        add_measured(&all, req, output, manifest);
    else
        inject_add_raw(&all, "onjcmd=only", "");
    if (!all.failed)
        (void)inject_tool_options(&all, before && *before ? before : NULL, library, &value);
    inject_done(&all);
    return value;
}

void request_done(struct request *req)
{
    inject_done(&req->measured);
    inject_done(&req->watched);
    inject_done(&req->agent_options);
}
