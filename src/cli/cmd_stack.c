/*
 * cmd_stack.c - `hprof stack PID`: the stacks of all threads of a JVM, without its help.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/help.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/stack.h"
#include "cli/stack_text.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"

enum { OPT_NO_STOP = 1, FRAMES_MAX = 100000 };

static const struct opt options[] = {
    {OPT_NO_STOP, 0, "no-stop", NULL, "read the process while it runs; marks what may be torn"},
    {0},
};

static void say_open_error(const char *what, int error, const char *missing)
{
    if (error == E_FACT_MISSING)
        say("%s: this VM is not known: it lacks %s", what, missing);
    else if (error == E_NOT_FOUND)
        say("%s: no JVM: libjvm.so is not mapped", what);
    else
        say("%s: %s", what, err_text(error));
}

static int stack_live(pid_t pid, int no_stop)
{
    struct mem_live live;
    struct mem_stop stop = {0};
    struct stack s;
    const char *missing = "";
    uint64_t stopped_ns = 0;
    char what[32];
    int status = CMD_FAILED;

    snprintf(what, sizeof what, "%d", (int)pid);
    memset(&s, 0, sizeof s);
    int error = mem_live_open(pid, &live);
    if (error == 0)
        error = stack_open(&s, &live.image, &missing);
    if (error < 0) {
        say_open_error(what, error, missing);
        goto out;
    }
    if (!no_stop) {
        /* A first round while it runs leaves the pages that we need in the cache. */
        stack_take(&s, FRAMES_MAX);
        error = mem_stop_all(&live, &stop);
        if (error < 0) {
            say("%s: cannot stop it: %s", what, err_text(error));
            goto out;
        }
        mem_live_refresh(&live);
    }
    error = stack_take(&s, FRAMES_MAX);
    if (!no_stop)
        stopped_ns = mem_stop_end(&stop);
    if (error < 0) {
        say("%s: %s", what, err_text(error));
        goto out;
    }
    stack_text_print(stdout, &s);
    if (!no_stop)
        fprintf(stderr, "%u threads, stopped for %.1f ms\n", s.java.count,
                (double)stopped_ns / 1e6);
    status = s.java.count > 0 ? CMD_OK : CMD_FAILED;
out:
    stack_close(&s);
    mem_live_close(&live);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    const char *target = NULL;
    int no_stop = 0;

    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_NO_STOP:
            no_stop = 1;
            break;
        case OPTS_WORD:
            target = opts.value;
            break;
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        default:
            return CMD_USAGE;
        }
    }
    return target == NULL ? CMD_USAGE : stack_live((pid_t)strtol(target, NULL, 10), no_stop);
}

const struct cmd cmd_stack = {
    .name = "stack",
    .help = "Print the stacks of all threads of a JVM, without its help",
    .operands = "PID",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
