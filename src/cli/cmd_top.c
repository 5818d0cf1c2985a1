/*
 * cmd_top.c - `hprof top [TARGET]`: lists JVMs by their CPU time, or the threads of one JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "command/help.h"
#include "jvm/jvm_target.h"
#include "jvm/max_stop.h"
#include "command/opts.h"
#include "report/report.h"
#include "command/say.h"
#include "top/top_jvm.h"
#include "top/top_list.h"
#include "top/top_watch.h"
#include "command/values.h"
#include "safe/clock.h"

enum {
    OPT_BATCH = 1,
    OPT_DELAY,
    OPT_COUNT,
    OPT_SORT,
    OPT_FILTER,
    OPT_ROWS,
    OPT_DEPTH,
    OPT_FRAMES,
    OPT_METHODS,
    OPT_LOOKS,
    OPT_NO_STOP,
    OPT_MAX_STOP,
    OPT_WIDTH,
    OPT_JSON,

    COUNT_MAX = 1000000000,
    WIDTH_MAX = 10000,
    LOOKS = 4, /* looks in a second */
    LOOKS_MAX = 100,
    ROWS = 20,
    FRAMES = 3,
    METHODS = 10,
};

static const struct opt options[] = {
    {OPT_BATCH, 'b', "batch", NULL, "print pages as text, for a log or a script"},
    {OPT_DELAY, 'd', "delay", "TIME", "from page to page (3s); a bare number is seconds"},
    {OPT_COUNT, 'n', "count", "N", "so many pages; with --batch alone 1"},
    {OPT_SORT, 'o', "sort", "BY", "by cpu, mem, name or id (cpu)"},
    {OPT_FILTER, 0, "filter", "TEXT", "threads whose name, state or frames have this text"},
    {OPT_ROWS, 0, "rows", "N", "so many threads or JVMs; 0 is all (20)"},
    {OPT_DEPTH, 0, "depth", "N", "so many frames of each thread (3)"},
    {OPT_FRAMES, 0, "frames", "N", "the same"},
    {OPT_METHODS, 0, "methods", "N", "so many of the hottest methods (10)"},
    {OPT_LOOKS, 0, "looks", "N",
     "stop it so often in a second to see its frames; 0 is once a page (4)"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP},
    {OPT_NO_STOP, 0, "no-stop", NULL, "never stop it: no frames of running threads"},
    {OPT_WIDTH, 'w', "width", "N", "columns of a line; 0 is no limit"},
    {OPT_JSON, 0, "json", NULL, "with --batch: print JSON, an object a page"},
    {0},
};

struct request {
    const struct cmd *cmd;
    const char *target; /* NULL: all JVMs */
    bool is_batch, has_count, has_delay, has_width, no_stop;
    uint32_t looks;
    uint64_t max_stop_ns;
    struct top_watch watch;
};

static int take(struct request *r, const struct opts *opts, int id)
{
    struct top_choice *choice = &r->watch.choice;
    switch (id) {
    case OPT_BATCH:
        r->is_batch = true;
        return 0;
    case OPT_DELAY:
        r->has_delay = true;
        return values_seconds(r->cmd, "delay", opts->value, &r->watch.interval_ns);
    case OPT_COUNT:
        r->has_count = true;
        return values_count(r->cmd, "count", opts->value, COUNT_MAX, &r->watch.count);
    case OPT_SORT:
        if (top_choice_parse_sort(opts->value, &choice->sort) == 0)
            return 0;
        say("top: --sort '%s': wanted is cpu, mem, name or id", opts->value);
        return -1;
    case OPT_FILTER:
        choice->filter = opts->value;
        return 0;
    case OPT_ROWS:
        return values_count(r->cmd, "rows", opts->value, COUNT_MAX, &choice->rows);
    case OPT_DEPTH:
        return values_count(r->cmd, "depth", opts->value, TOP_PAGE_FRAMES, &choice->frames);
    case OPT_FRAMES:
        return values_count(r->cmd, "frames", opts->value, TOP_PAGE_FRAMES, &choice->frames);
    case OPT_METHODS:
        return values_count(r->cmd, "methods", opts->value, COUNT_MAX, &choice->methods);
    case OPT_LOOKS:
        return values_count(r->cmd, "looks", opts->value, LOOKS_MAX, &r->looks);
    case OPT_MAX_STOP:
        return max_stop_parse(r->cmd, opts->value, &r->max_stop_ns);
    case OPT_NO_STOP:
        r->no_stop = true;
        return 0;
    case OPT_WIDTH:
        r->has_width = true;
        return values_count(r->cmd, "width", opts->value, WIDTH_MAX, &choice->columns);
    case OPT_JSON:
        r->watch.is_json = r->is_batch = true;
        return 0;
    default:
        return -1;
    }
}

static int watch(struct request *r)
{
    return r->is_batch ? top_watch_print(&r->watch) : top_watch_view(&r->watch);
}

static int watch_one(struct request *r)
{
    struct jvms jvms;
    struct top_jvm jvm;
    int status = jvm_target_find(r->cmd, r->target, JVM_TARGET_ONE, &jvms);
    if (status == 0) {
        status = top_jvm_open(&jvm, &jvms.rows[0], r->target, r->no_stop, r->max_stop_ns);
        r->watch.jvm = &jvm;
        r->watch.look_ns = r->looks > 0 && !r->no_stop ? NS_PER_S / r->looks : 0;
        r->watch.looked_ns = clock_monotonic_ns();
        if (status == 0)
            status = watch(r);
        r->watch.jvm = NULL;
        top_jvm_close(&jvm);
    }
    jvms_done(&jvms);
    return status;
}

static int watch_all(struct request *r)
{
    struct top_list list = {0};
    r->watch.list = &list;
    int error = top_list_turn(&list);
    int status = error < 0 ? top_watch_end(&r->watch, error) : watch(r);
    r->watch.list = NULL;
    top_list_done(&list);
    return status;
}

/* Sets what depends on options that were not given. */
static void complete(struct request *r)
{
    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
        r->is_batch = true;
    if (r->is_batch && !r->has_count && !r->has_delay)
        r->watch.count = 1;
    if (r->is_batch && !r->has_width)
        r->watch.choice.columns = (uint32_t)report_width(stdout);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {
        .cmd = self,
        .looks = LOOKS,
        .max_stop_ns = max_stop_usual_ns,
        .watch = {.interval_ns = (uint64_t)3 * NS_PER_S,
                  .choice = {.rows = ROWS, .frames = FRAMES, .methods = METHODS}},
    };
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_WORD && r.target) {
            say("top: one JVM at a time, or all without a name; not also '%s'", opts.value);
            return CMD_USAGE;
        }
        if (id == OPTS_WORD)
            r.target = opts.value;
        else if (take(&r, &opts, id) < 0)
            return CMD_USAGE;
    }
    complete(&r);
    return r.target ? watch_one(&r) : watch_all(&r);
}

const struct cmd cmd_top = {
    .name = "top",
    .group = CMD_LOOKS,
    .help = "Watch JVMs by their CPU time, or the busy threads and methods of one",
    .operands = "[TARGET]",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
