/*
 * cmd_metrics.c - `hprof metrics TARGET|all`: what a monitoring system asks of JVMs, as OpenMetrics
 * text or JSON, once or at an address.
 *
 * Nothing is loaded into the JVMs, and they are neither asked nor stopped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/end_signals.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "metrics/metric_host.h"
#include "metrics/metric_json.h"
#include "metrics/metric_text.h"
#include "view/memory_file.h"
#include "view/serve.h"

enum { OPT_JSON = 1, OPT_SERVE, OPT_ANYONE };

static const struct opt options[] = {
    {OPT_JSON, 0, "json", NULL, "print JSON, by the names of the OpenTelemetry conventions"},
    {OPT_SERVE, 0, "serve", "PLACE",
     "answer GET /metrics at 127.0.0.1:PORT, [::1]:PORT, unix:PATH"},
    {OPT_ANYONE, 0, "anyone", NULL, "with --serve: other machines may ask, too"},
    {0},
};

struct request {
    const char *target, *place;
    bool is_json, for_anyone;
    struct metric_host host;
    struct serve serve;
    int error; /* of the last reading */
    const volatile sig_atomic_t *is_ended;
};

static void write_set(void *with, struct sink *out)
{
    const struct request *r = with;
    if (r->is_json)
        metric_json_write(out, &r->host.set);
    else
        metric_text_write(out, &r->host.set);
}

static int say_ended(const struct request *r)
{
    say("metrics: %s: the JVM has ended", r->target);
    return CMD_FAILED;
}

static int print(struct request *r)
{
    struct plainout out;
    int error = metric_host_read(&r->host);
    if (error == -ESRCH)
        return say_ended(r);
    if (error == 0)
        error = plainout_open(&out, true);
    if (error == 0) {
        write_set(r, &out.sink);
        error = plainout_done(&out);
    }
    if (error < 0)
        say("metrics: %s", err_text(error));
    else if (r->host.hidden > 0)
        say("metrics: %u JVM%s of other users cannot be looked at; run as root to see %s",
            r->host.hidden, plural_s(r->host.hidden), plural_of(r->host.hidden, "it", "them"));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

/* ---- at an address */

/* Writes a reading into a file in memory. Returns its descriptor, or an error. */
static int make_answer(struct request *r)
{
    int error = metric_host_read(&r->host);
    return error < 0 ? error : memory_file_write("hprof metrics", write_set, r);
}

static void handle(void *with, const struct http_request *q, struct serve_answer *ret_answer)
{
    struct request *r = with;
    if (strcmp(q->path, "/metrics") != 0)
        return;
    int fd = make_answer(r);
    if (fd < 0 && fd != r->error && fd != -ESRCH)
        say("metrics: a request got no answer: %s", err_text(fd));
    r->error = fd < 0 ? fd : 0;
    *ret_answer =
        fd < 0 ? (struct serve_answer){.status = 500, .fd = -1}
               : (struct serve_answer){.status = 200,
                                       .type = r->is_json ? "application/json" : METRIC_TEXT_TYPE,
                                       .fd = fd,
                                       .closes = true};
}

static bool is_over(void *with)
{
    const struct request *r = with;
    return *r->is_ended != 0 || r->error == -ESRCH;
}

static int say_place(const struct request *r, int error)
{
    if (error == -EEXIST)
        say("metrics: --serve %s: there is a file that is not a socket; it stays", r->place);
    else if (error == -EADDRINUSE)
        say("metrics: --serve %s: another program listens there", r->place);
    else
        say("metrics: --serve %s: %s", r->place, err_text(error));
    return CMD_FAILED;
}

static int serve(struct request *r)
{
    struct serve *s = &r->serve;
    s->handle = handle;
    s->is_over = is_over;
    s->with = r;
    s->idle_ns = UINT64_MAX;
    s->takes_any_user = s->only_get = true;
    s->takes_any_name = r->for_anyone || serve_place_is_unix(&s->place);
    r->is_ended =
        end_signals_catch(false); /* in order, so that the file of its socket is removed */
    int error = serve_open(s);
    if (error < 0)
        return say_place(r, error);
    say_out("%s%s", s->url, serve_place_is_unix(&s->place) ? "" : "/metrics");
    putchar('\n');
    fflush(stdout);
    error = serve_run(s);
    if (r->error == -ESRCH)
        return say_ended(r);
    if (error < 0)
        say("metrics: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

/* ---- the command line */

static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_JSON:
        r->is_json = true;
        return 0;
    case OPT_SERVE:
        r->place = value;
        return 0;
    case OPT_ANYONE:
        r->for_anyone = true;
        return 0;
    case OPTS_WORD:
        if (!r->target) {
            r->target = value;
            return 0;
        }
        say("metrics: one target, or 'all', not '%s' and '%s'", r->target, value);
        return E_SYNTAX;
    default:
        return E_SYNTAX;
    }
}

static int check(struct request *r, const struct cmd *self)
{
    if (!r->target) {
        say("metrics: no JVM named; usage: hprof metrics [OPTION...] %s", self->operands);
        return E_SYNTAX;
    }
    if (r->for_anyone && !r->place) {
        say("metrics: --anyone goes with --serve");
        return E_SYNTAX;
    }
    int error = r->place ? serve_place_parse(r->place, &r->serve.place) : 0;
    if (error < 0)
        say("metrics: --serve '%s': %s", r->place,
            error == E_LIMIT ? "the path is too long for a socket"
                             : "an address and a port are wanted, as in 127.0.0.1:9404 or "
                               "[::1]:9404, or unix:PATH");
    else if (r->place && !serve_place_is_local(&r->serve.place) && !r->for_anyone) {
        say("metrics: --serve %s: other machines could read the metrics there; that needs --anyone",
            r->place);
        error = E_SYNTAX;
    }
    return error;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.serve = {.fd = -1}};
    struct jvms jvms = {0};
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
    if (check(&r, self) < 0)
        return CMD_USAGE;
    bool is_all = strcmp(r.target, "all") == 0 || strcmp(r.target, "0") == 0;
    int status = is_all ? 0 : jvm_target_find(self, r.target, JVM_TARGET_ONE, &jvms);
    if (status == 0 && !is_all)
        status = outside_check_jvm(r.target, &jvms.rows[0]);
    if (status == 0 && metric_host_open(&r.host, &jvms, is_all) < 0)
        status = CMD_FAILED;
    if (status == 0)
        status = r.place ? serve(&r) : print(&r);
    serve_close(&r.serve);
    metric_host_close(&r.host);
    jvms_done(&jvms);
    return status;
}

const struct cmd cmd_metrics = {
    .name = "metrics",
    .group = CMD_LOOKS,
    .help =
        "Print what a monitoring system asks of JVMs, or serve it; without JMX, without an agent",
    .operands = "TARGET|all",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
