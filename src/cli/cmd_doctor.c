/*
 * cmd_doctor.c - `hprof doctor TARGET|all|FILE...`: what is wrong with a JVM, by rules.
 *
 * JVMs are looked at twice from outside: nothing is loaded into them, and they are neither asked
 * nor stopped.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/values.h"
#include "doctor/doctor_input.h"
#include "doctor/doctor_judge.h"
#include "doctor/doctor_live.h"
#include "doctor/doctor_print.h"
#include "doctor/doctor_rule.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "safe/clock.h"
#include "threaddump/dumpfiles.h"

/* Scripts ask by the status: hprof(1). A command line that is wrong could not look either. */
enum { STATUS_WARNING = 10, STATUS_SEVERE = 20 };

enum { OPT_FOR = 1, OPT_JSON, OPT_WHOLE };

static const struct opt options[] = {
    {OPT_FOR, 0, "for", "TIME", "so long between the two looks (3s)"},
    {OPT_WHOLE, 0, "whole", NULL, "also name the rules whose facts are not known"},
    {OPT_JSON, 0, "json", NULL, "print JSON: an object a JVM, with all facts"},
    {0},
};

struct request {
    const char **words;
    uint32_t count;
    uint64_t for_ns;
    bool is_json, is_whole;
    bool is_blind; /* nothing was known of a JVM */
    uint32_t printed;
    enum doctor_severity worst;
    struct sink *out;
};

static void print(void *with, struct doctor_facts *f)
{
    struct request *r = with;
    struct doctor_findings *found = malloc(sizeof(*found));
    if (!found)
        return;
    doctor_judge_all(f, found);
    if (r->is_json) {
        doctor_print_json(r->out, f, found);
    } else {
        sink_text(r->out, r->printed > 0 ? "\n" : "");
        doctor_print_text(r->out, f, found, r->is_whole);
    }
    r->printed++;
    r->is_blind = r->is_blind || found->judged == 0;
    r->worst = found->worst > r->worst ? found->worst : r->worst;
    free(found);
}

/* ---- live JVMs */

static void say_hidden(const struct doctor_live *l, const struct jvm *jvm)
{
    if (l->is_hidden)
        say("%s: its memory cannot be read, so threads and most of the rest are not judged; %s",
            jvm_target_name(jvm), outside_remedy());
}

static int look_at(struct request *r, const struct jvms *jvms, struct doctor_live *lives)
{
    struct timespec pause = clock_timespec(r->for_ns);
    int status = CMD_OK;
    for (uint32_t i = 0; i < jvms->count; i++)
        doctor_live_open(&jvms->rows[i], &lives[i]);
    nanosleep(&pause, NULL);
    for (uint32_t i = 0; i < jvms->count; i++) {
        int error = doctor_live_look(&lives[i]);
        if (error == -ESRCH)
            say("%s: the JVM has ended", jvm_target_name(&jvms->rows[i]));
        else if (error < 0)
            say("%s: %s", jvm_target_name(&jvms->rows[i]), err_text(error));
        if (error < 0) {
            status = CMD_FAILED;
            continue;
        }
        say_hidden(&lives[i], &jvms->rows[i]);
        print(r, &lives[i].facts);
    }
    for (uint32_t i = 0; i < jvms->count; i++)
        doctor_live_close(&lives[i]);
    return status;
}

static int look(const struct cmd *self, struct request *r)
{
    struct jvms jvms = {0};
    int status = jvm_target_find(self, r->words[0], JVM_TARGET_MANY, &jvms);
    if (status == 0 && jvms.count == 1)
        status = outside_check_jvm(r->words[0], &jvms.rows[0]);
    if (status == 0 && jvms.count == 0) {
        say("doctor: there is no JVM here");
        status = CMD_FAILED;
    }
    if (status == 0) {
        struct doctor_live *lives = calloc(jvms.count, sizeof(*lives));
        status = lives ? look_at(r, &jvms, lives) : CMD_FAILED;
        free(lives);
    }
    if (status == 0 && jvms.hidden > 0)
        say("doctor: %u JVM%s of other users cannot be looked at", jvms.hidden,
            plural_s(jvms.hidden));
    jvms_done(&jvms);
    return status;
}

/* ---- the command line */

static int take_option(struct request *r, const struct cmd *self, const struct opts *opts, int id)
{
    switch (id) {
    case OPT_FOR:
        return values_seconds(self, "for", opts->value, &r->for_ns);
    case OPT_JSON:
        r->is_json = true;
        return 0;
    case OPT_WHOLE:
        r->is_whole = true;
        return 0;
    case OPTS_WORD:
        r->words[r->count++] = opts->value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int answer(const struct cmd *self, struct request *r)
{
    struct plainout out;
    bool is_file = dumpfiles_is_file(r->words[0]);
    if (!is_file && r->count > 1) {
        say("doctor: one JVM, or 'all', not '%s' and '%s'", r->words[0], r->words[1]);
        return CMD_FAILED;
    }
    if (plainout_open(&out, r->is_json) < 0)
        return CMD_FAILED;
    r->out = &out.sink;
    int status =
        is_file ? doctor_input_read("doctor", r->words, r->count, print, r) : look(self, r);
    int error = plainout_done(&out);
    r->out = NULL;
    if (error < 0)
        say("doctor: %s", err_text(error));
    if (status != CMD_OK || error < 0 || r->is_blind)
        return r->worst == DOCTOR_SEVERE ? STATUS_SEVERE : CMD_FAILED;
    return r->worst == DOCTOR_SEVERE    ? STATUS_SEVERE
           : r->worst == DOCTOR_WARNING ? STATUS_WARNING
                                        : CMD_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.for_ns = 3 * (uint64_t)NS_PER_S,
                        .words = calloc((size_t)argc + 1, sizeof(*r.words))};
    struct opts opts;
    int status = r.words ? -1 : CMD_FAILED;
    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
        } else if (id == OPTS_ERROR || take_option(&r, self, &opts, id) < 0) {
            status = CMD_FAILED;
        }
    }
    if (status < 0 && r.count == 0) {
        say("doctor: no JVM named; usage: hprof doctor [OPTION...] %s", self->operands);
        status = CMD_FAILED;
    }
    if (status < 0)
        status = answer(self, &r);
    free(r.words);
    return status;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .group = CMD_LOOKS,
    .help = "Say what is wrong with a JVM, by rules: evidence, cause and the next command",
    .operands = "TARGET|all|FILE...",
    .needs = "a live JVM, or files",
    .options = options,
    .run = run,
};
