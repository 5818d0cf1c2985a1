/*
 * cmd_verify.c - `hprof verify -- COMMAND`: checks whether stacks can be trusted on this machine.
 *
 * Runs a program with the agent's engine verify= in its JVMs, and prints what the engine counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/newfile.h"
#include "jvm/agentlib.h"
#include "recording/child.h"
#include "command/help.h"
#include "recording/inject.h"
#include "recording/manifest.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/say.h"
#include "command/values.h"
#include "report/verify_report.h"
#include "safe/clock.h"

enum {
    OPT_DURATION = 1,
    OPT_SECONDS,
    OPT_SHARE,
    OPT_RATE,
    OPT_RANDOM,
    OPT_JSON,
    OPT_OUTPUT,
    OPT_AGENT,
};

enum {
    STATUS_DIED = 3,
    SECONDS_MAX = 1000000,
    RATE_MAX = 20000,
    RANDOM_MAX = 2000000000,
};

static const struct opt options[] = {
    {OPT_DURATION, 0, "duration", "TIME",
     "end the program after so long; a bare number is seconds (when it ends itself)"},
    {OPT_SECONDS, 's', "seconds", "N", "the same, in whole seconds"},
    {OPT_SHARE, 0, "share", "PERCENT", "methods that get a shadow stack, 0 to 100 (10)"},
    {OPT_RATE, 'r', "rate", "HZ", "walks per second of CPU time of each thread (1000)"},
    {OPT_RANDOM, 0, "random-walks", "N", "walks from damaged registers, in all (100000)"},
    {OPT_JSON, 0, "json", NULL, "print the result as JSON"},
    {OPT_OUTPUT, 'o', "output", "FILE", "write the result to FILE (standard error)"},
    {OPT_AGENT, 0, "agent", "PATH", "an agent library in place of the command's own"},
    {0},
};

struct wish {
    uint32_t seconds, share, rate, random_walks;
    int json;
    const char *output, *agent; /* NULL: not given */
};

static void add_number(struct inject *in, const char *name, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof(text), "%" PRIu32, value);
    inject_add(in, name, text, name);
}

/* JAVA_TOOL_OPTIONS for this run, malloc'ed; NULL after saying why. */
static char *tool_options(const struct wish *w, const char *report, const char *library)
{
    struct inject all = {.command = "verify"};
    char *value = NULL;
    inject_add(&all, "verify", report, "temporary file");
    inject_add_raw(&all, "file=/dev/null", "");
    inject_add_raw(&all, "verbose=n", "");
    add_number(&all, "verify_share", w->share);
    add_number(&all, "verify_rate", w->rate);
    add_number(&all, "verify_random", w->random_walks);
    add_number(&all, "verify_seconds", w->seconds);
    if (!all.failed)
        (void)inject_tool_options(&all, getenv("JAVA_TOOL_OPTIONS"), library, &value);
    inject_done(&all);
    return value;
}

/* Open the file of --output. Returns NULL after saying why. */
static FILE *open_output(const char *path)
{
    struct newfile file;
    const char *why;
    int error = newfile_open(path, 0666, NEWFILE_REPLACE, &file, &why);
    FILE *out = error < 0 ? NULL : fdopen(file.fd, "w");
    if (error < 0)
        say("verify: cannot write '%s': %s", path, why);
    else if (!out)
        say("verify: %s", strerror(ENOMEM));
    return out;
}

static int show(const struct wish *w, const struct verify_report *r)
{
    FILE *out = w->output ? open_output(w->output) : stderr;
    int failed;
    if (!out)
        return -1;
    if (w->json)
        verify_report_put_json(out, r);
    else
        verify_report_put_table(out, r);
    errno = 0;
    failed = fflush(out) != 0 || ferror(out);
    if (failed)
        say("verify: cannot write '%s': %s", w->output ? w->output : "standard error",
            strerror(errno ? errno : EIO));
    if (w->output && fclose(out) != 0 && !failed) {
        failed = 1;
        say("verify: cannot write '%s': %s", w->output, strerror(errno));
    }
    return failed ? -1 : 0;
}

static int say_verdict(const struct verify_report *r)
{
    switch (verify_report_judge(r)) {
    case VERIFY_REPORT_MET:
        say("verify: all targets are met: a and b agree always, c in 99.9 %% of the cases or more");
        return CMD_OK;
    case VERIFY_REPORT_DIED:
        say("verify: %u of %u JVMs died while it was verified: see its hs_err file",
            r->begun - r->ended, r->begun);
        return STATUS_DIED;
    case VERIFY_REPORT_MISSED:
        say("verify: a target is missed: a and b are to agree always, c in 99.9 %% of the cases");
        return CMD_FAILED;
    default:
        say("verify: too little ran to compare anything: let the program run longer, and see "
            "--share");
        return CMD_FAILED;
    }
}

/* `status` is the program's exit status. It is only reported if no JVM loaded the agent. */
static int conclude(const struct wish *w, const char *path, const char *command, int status)
{
    struct verify_report report;
    int error = verify_report_read(path, &report), result = CMD_FAILED;
    if (error < 0) {
        say("verify: cannot read '%s': %s", path, strerror(-error));
    } else if (report.begun == 0) {
        say("verify: no JVM started under this command, or it did not accept the agent (see "
            "above); %s ended with status %d",
            command, status);
    } else {
        result = show(w, &report) == 0 ? say_verdict(&report) : CMD_FAILED;
    }
    verify_report_close(&report);
    return result;
}

static int start_error(const char *command, int error)
{
    say("verify: %s: cannot be started: %s", command, strerror(-error));
    return error == -ENOENT ? CMD_NOT_FOUND : CMD_NOT_EXECUTABLE;
}

static int verify(const struct wish *w, char *const *argv)
{
    struct manifest report = {0};
    struct agentlib_file library = {.hold = -1};
    char *tools = NULL;
    int status = CMD_FAILED;
    if ((w->output && outfile_check_folder("verify", w->output) < 0) ||
        agentlib_find_file(w->agent, &library) < 0 || manifest_open(&report) < 0)
        goto out;
    tools = tool_options(w, report.path, library.path);
    if (!tools)
        goto out;
    (void)fflush(NULL);
    status = child_run(argv, tools);
    status = status < 0 ? start_error(argv[0], status) : conclude(w, report.path, argv[0], status);
out:
    manifest_close(&report);
    free(tools);
    agentlib_file_done(&library);
    return status;
}

/* Parse a number that must not be 0. */
static int take_some(const struct cmd *self, const char *name, const char *value, uint32_t most,
                     uint32_t *ret_count)
{
    if (values_count(self, name, value, most, ret_count) < 0)
        return -1;
    if (*ret_count == 0)
        say("verify: --%s '0': at least 1", name);
    return *ret_count == 0 ? -1 : 0;
}

/* The agent counts whole seconds, so a part of a second counts as one. */
static int take_duration(const struct cmd *self, const char *value, uint32_t *ret_seconds)
{
    uint64_t ns;
    if (values_seconds(self, "duration", value, &ns) < 0)
        return -1;
    uint64_t seconds = ns / NS_PER_S + (ns % NS_PER_S != 0);
    if (seconds > SECONDS_MAX) {
        say("verify: --duration '%s': at most %d seconds", value, SECONDS_MAX);
        return -1;
    }
    *ret_seconds = (uint32_t)seconds;
    return 0;
}

/* Put one option into *w. Errors: 0; negative after saying why. */
static int take(const struct cmd *self, struct wish *w, int id, const char *value)
{
    switch (id) {
    case OPT_DURATION:
        return take_duration(self, value, &w->seconds);
    case OPT_SECONDS:
        return take_some(self, "seconds", value, SECONDS_MAX, &w->seconds);
    case OPT_SHARE:
        return values_count(self, "share", value, 100, &w->share);
    case OPT_RATE:
        return take_some(self, "rate", value, RATE_MAX, &w->rate);
    case OPT_RANDOM:
        return values_count(self, "random-walks", value, RANDOM_MAX, &w->random_walks);
    case OPT_JSON:
        w->json = 1;
        return 0;
    case OPT_OUTPUT:
        w->output = value;
        return 0;
    case OPT_AGENT:
        w->agent = value;
        return 0;
    default:
        return -1;
    }
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct wish w = {.share = 10, .rate = 1000, .random_walks = 100000};
    struct opts opts;
    int id;
    opts_init(&opts, self, argc, argv);
    while ((id = opts_next(&opts)) > 0)
        if (take(self, &w, id, opts.value) < 0)
            return CMD_USAGE;
    switch (id) {
    case OPTS_WORD:
        return verify(&w, argv + opts.next - 1);
    case OPTS_HELP:
        help_cmd(stdout, self);
        return CMD_OK;
    case OPTS_END:
        say("verify: no command; usage: hprof verify [OPTION...] %s", self->operands);
        return CMD_USAGE;
    default:
        return CMD_USAGE;
    }
}

const struct cmd cmd_verify = {
    .name = "verify",
    .group = CMD_ABOUT,
    .help = "Run a command and compare the stack walker with other sources of stacks",
    .operands = "[--] COMMAND [ARGUMENT...]",
    .needs = "a command that starts a JVM",
    .options = options,
    .run = run,
};
