/*
 * cmd_export.c - `hprof export INPUT...`: recordings and profiles as tables for other engines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/diag_say.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"
#include "export/export.h"
#include "export/export_stop.h"

enum { OPT_TO = 1, OPT_OUTPUT, OPT_SERVICE, OPT_LABEL, OPT_FLAT, OPT_APPEND, OPT_MEMORY, OPT_TMP };

static const struct opt options[] = {
    {OPT_TO, 0, "to", "sqlite|parquet", "what to write: a database, or a folder of files"},
    {OPT_OUTPUT, 'o', "output", "FILE", "the database or the folder"},
    {OPT_SERVICE, 0, "service", "NAME", "the service of all inputs (the program of each)"},
    {OPT_LABEL, 0, "label", "KEY=VALUE",
     "a column KEY with this value in all rows of events, samples and inputs; may be repeated"},
    {OPT_FLAT, 0, "flat", NULL, "rows with a stack also have its frames and lines as texts"},
    {OPT_APPEND, 0, "append", NULL, "add to a database that is there"},
    {OPT_MEMORY, 0, "memory", "SIZE", "memory to use at most, for reading and again for writing"},
    {OPT_TMP, 0, "tmp", "FOLDER", "folder for temporary files (TMPDIR, or /var/tmp)"},
    {0},
};

struct request {
    const struct cmd *cmd;
    struct export_options options;
    const char **inputs;
    size_t count;
};

static int take_label(struct request *r, char *value)
{
    struct export_options *o = &r->options;
    char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        say("export: --label '%s': wanted is KEY=VALUE", value);
        return E_SYNTAX;
    }
    if (o->label_count == EXPORT_LABELS) {
        say("export: --label: %d labels at most", EXPORT_LABELS);
        return E_SYNTAX;
    }
    *equals = '\0';
    o->labels[o->label_count++] = (struct export_label){value, equals + 1};
    return 0;
}

static int take_writer(struct request *r, const char *value)
{
    r->options.writer = export_writer_named(value);
    if (r->options.writer)
        return 0;
    say("export: --to '%s': wanted is sqlite or parquet; 'hprof report --to' writes profiles in "
        "other formats",
        value);
    return E_SYNTAX;
}

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_TO:
        return take_writer(r, value);
    case OPT_OUTPUT:
        r->options.output = value;
        return 0;
    case OPT_SERVICE:
        r->options.service = value;
        return 0;
    case OPT_LABEL:
        return take_label(r, (char *)value);
    case OPT_FLAT:
        r->options.is_flat = true;
        return 0;
    case OPT_APPEND:
        r->options.appends = true;
        return 0;
    case OPT_MEMORY:
        return values_size(r->cmd, "memory", value, &r->options.memory_bytes);
    case OPT_TMP:
        r->options.tmp = value;
        return 0;
    case OPTS_WORD:
        r->inputs[r->count++] = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int check(const struct request *r)
{
    if (r->count > 0 && r->options.writer && r->options.output && *r->options.output)
        return 0;
    say("export: %s; usage: hprof export --to sqlite|parquet -o FILE %s",
        r->count == 0        ? "no input named"
        : !r->options.writer ? "--to is missing"
                             : "-o is missing",
        r->cmd->operands);
    return E_SYNTAX;
}

static int parse(struct request *r, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, r->cmd, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, r->cmd);
            return OPTS_HELP;
        }
        if (id == OPTS_ERROR || take_option(r, id, opts.value) < 0)
            return E_SYNTAX;
    }
    return check(r);
}

static void stop(int number)
{
    (void)number;
    export_stop();
}

/* A signal ends the export, so that nothing half is left. */
static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaction(numbers[i], &action, NULL);
}

static int export_inputs(const struct request *r)
{
    struct export_result result;
    watch_signals();
    if (export_run(&r->options, r->inputs, r->count, &result) < 0)
        return CMD_FAILED;
    say("export: %s: %" PRIu64 " row%s of %zu input%s in %" PRIu64 " file%s", r->options.output,
        result.rows, plural_s(result.rows), r->count, plural_s(r->count), result.files,
        plural_s(result.files));
    return result.is_damaged ? CMD_FAILED : CMD_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self, .options = {.diag = diag_say()}};
    r.inputs = calloc((size_t)argc + 1, sizeof(*r.inputs));
    if (!r.inputs) {
        say("export: %s", err_text(-ENOMEM));
        return CMD_FAILED;
    }
    int error = parse(&r, argc, argv);
    int status = error == OPTS_HELP ? CMD_OK : error < 0 ? CMD_USAGE : export_inputs(&r);
    free(r.inputs);
    return status;
}

const struct cmd cmd_export = {
    .name = "export",
    .group = CMD_READS,
    .help = "Write recordings and profiles as tables: a SQLite database or Parquet files",
    .operands = "INPUT...",
    .needs = "a file",
    .others = "jfr-to-parquet",
    .options = options,
    .run = run,
};
