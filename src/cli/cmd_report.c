/*
 * cmd_report.c - `hprof report FILE...`: the summary of profiles that exist already.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/help.h"
#include "cli/load.h"
#include "cli/opts.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/values.h"
#include "format/format.h"

enum {
    OPT_TOP = 1,
    OPT_TRACES,
    OPT_FORMAT,
    OPT_VERBOSE,
    OPT_HIDDEN,
    ROWS_MAX = 1000000,
    TOP_DEFAULT = 20
};

static const struct opt options[] = {
    {OPT_TOP, 'n', "top", "N", "rows in each table (20)"},
    {OPT_TRACES, 't', "traces", "N", "also print the N hottest stacks (0)"},
    {OPT_FORMAT, 'f', "format", "NAME", "read as this format instead of recognising it"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "all counts that say how far to trust the profile"},
    {OPT_HIDDEN, 0, "hidden", NULL, "with the frames of lambdas, method handles and reflection"},
    {0},
};

/* `printed` counts the reports so far: a blank line goes between two. */
static int report_file(struct report *report, const struct format *format, const char *path,
                       size_t *printed)
{
    struct load load;
    int status = CMD_FAILED;

    if (load_open(path, format, &load) == 0) {
        char *title = NULL;

        if ((*printed)++ > 0)
            putchar('\n');
        status = load.damaged ? CMD_FAILED : CMD_OK;
        report->is_damaged = load.damaged;
        if (asprintf(&title, "%s (%s)", path, load.format->name) < 0 ||
            report_print(report, title, load.profile) < 0) {
            say("%s: %s", path, strerror(ENOMEM));
            status = CMD_FAILED;
        }
        free(title);
    }
    load_close(&load);
    return status;
}

static int find_format(const char *name, const struct format **ret_format)
{
    *ret_format = format_named(name);
    if (*ret_format != NULL)
        return 0;
    say("report: unknown format '%s'; 'hprof formats' lists them", name);
    return E_NOT_FOUND;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct report report = {.out = stdout, .width = report_width(stdout), .top = TOP_DEFAULT};
    const struct format *format = NULL;
    const char **files = calloc((size_t)argc, sizeof *files);
    size_t count = 0, printed = 0;
    struct opts opts;
    int status = CMD_USAGE;

    if (files == NULL)
        return CMD_FAILED;
    opts_init(&opts, self, argc, argv);
    for (int id, r = 0; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_TOP:
            r = values_count(self, "top", opts.value, ROWS_MAX, &report.top);
            break;
        case OPT_TRACES:
            r = values_count(self, "traces", opts.value, ROWS_MAX, &report.traces);
            break;
        case OPT_VERBOSE:
            report.is_verbose = 1;
            break;
        case OPT_HIDDEN:
            report.with_hidden = 1;
            break;
        case OPT_FORMAT:
            r = find_format(opts.value, &format);
            break;
        case OPTS_WORD:
            files[count++] = opts.value;
            break;
        case OPTS_HELP:
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        default:
            goto out;
        }
        if (r < 0)
            goto out;
    }
    if (count == 0) {
        say("report: no file named; usage: hprof report [OPTION...] %s", self->operands);
        goto out;
    }
    status = CMD_OK;
    for (size_t i = 0; i < count; i++) {
        if (report_file(&report, format, files[i], &printed) != CMD_OK)
            status = CMD_FAILED;
    }
out:
    free(files);
    return status;
}

const struct cmd cmd_report = {
    .name = "report",
    .help = "Summarise profiles: the tables in them, and how far to trust them",
    .operands = "FILE...",
    .needs = "files in a format that 'hprof formats' lists",
    .options = options,
    .run = run,
};
