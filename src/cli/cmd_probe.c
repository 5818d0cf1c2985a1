/*
 * cmd_probe.c - `hprof probe TARGET list|count|trace [NAME...]`: the probes that libjvm.so and
 * other libraries of a process carry.
 *
 * No agent is loaded and nothing is stopped: `list` reads the mapped files, `count` and `trace` ask
 * the kernel to watch the probes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/end_signals.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/values.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "probe/probe_counts.h"
#include "probe/probe_function.h"
#include "probe/probe_list.h"
#include "probe/probe_offcpu.h"
#include "probe/probe_pair.h"
#include "probe/probe_record.h"
#include "probe/probe_ring.h"
#include "probe/probe_run.h"
#include "probe/probe_sites.h"
#include "probe/probe_where.h"

enum {
    OPT_JSON = 1,
    OPT_BY,
    OPT_DURATION,
    OPT_OUT,
    OPT_PAIR,
    OPT_PAIRS,
    OPT_RATE,
    OPT_STACK,
    OPT_STACK_BYTES,
    OPT_WHERE,
};
enum {
    NAMES_MOST = 64,
    NAMES_ROOM = NAMES_MOST + 2 * PROBE_PAIR_NAMED, /* with those of --pair */
    RATE = 10000,
    RATE_STACK = 1000,
    RATE_MOST = 10000000,
    STACK_BYTES = 32 << 10,
    STACK_BYTES_LEAST = 1024,
};

static const struct opt options[] = {
    {OPT_BY, 0, "by", "FIELD", "count: a line for each value of this argument, as in --by class"},
    {OPT_DURATION, 'd', "duration", "TIME",
     "count, trace: end after this time, as in 30s (Ctrl-C)"},
    {OPT_JSON, 0, "json", NULL, "print lines of JSON"},
    {OPT_RATE, 0, "max-rate", "N",
     "look at so many hits a second, count the others (10000, with --stack "
     "1000)"},
    {OPT_OUT, 'o', "output", "FILE", "trace: write the hits as a JFR recording"},
    {OPT_PAIR, 0, "pair", "A,B", "the time from each hit of A to the next one of B on its thread"},
    {OPT_PAIRS, 0, "pairs", NULL,
     "the time from X__begin to X__end, X__entry to X__return, from a call to its return ..."},
    {OPT_STACK, 0, "stack", NULL, "trace: the Java and native frames of each hit"},
    {OPT_STACK_BYTES, 0, "stack-bytes", "N",
     "copy so much of the stack at each hit, up to 65000 (32768)"},
    {OPT_WHERE, 0, "where", "CONDITION",
     "only hits whose field is so: FIELD=VALUE, or != < <= > >= (all of several hold)"},
    {0},
};

struct request {
    const char *target, *what;
    const char *names[NAMES_ROOM];
    char *halves[PROBE_PAIR_NAMED]; /* the texts of --pair, parted */
    const char *out;                /* NULL: standard output */
    bool is_json, has_stack;
    struct probe_run run;
};

/* What to do if there are no probes with these names. */
static int say_none(const struct request *r, const struct probe_sites *s)
{
    if (r->run.count > 0 && s->count > 0)
        say("probe: %s: no probe is named so; 'hprof probe %s list' has the names, and a function "
            "is "
            "uprobe:LIBRARY:FUNCTION",
            r->target, r->target);
    else if (s->has_libjvm)
        say("probe: %s: its libjvm.so carries no probes, as that of Debian's JDK 8; 'hprof record "
            "-e gc,exception,classload,lock,alloc' measures the same by the agent, and 'hprof "
            "stat' "
            "without it",
            r->target);
    else
        say("probe: %s: none of its files carries probes; a function is uprobe:LIBRARY:FUNCTION",
            r->target);
    return CMD_FAILED;
}

static int list(const struct request *r, struct probe_sites *s)
{
    char why[PROBE_FUNCTION_WHY];
    struct plainout out;
    for (unsigned i = 0; i < r->run.count; i++) {
        int wrong = probe_function_is(r->names[i]) ? probe_function_add(s, r->names[i], why) : 0;
        if (wrong && wrong != E_UNSUPPORTED) { /* those that may not be put are listed, too */
            say("probe: %s: %s", r->names[i], why[0] ? why : err_text(wrong));
            return CMD_FAILED;
        }
    }
    int error = plainout_open(&out, true);
    if (error == 0) {
        uint32_t sites = probe_list_write(&out.sink, s, r->names, r->run.count, r->is_json);
        error = plainout_done(&out);
        if (error == 0 && sites == 0)
            return say_none(r, s);
    }
    if (error < 0)
        say("probe: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

/* What is wrong with what was asked for. Returns whether that was it. */
static bool say_wrong(const struct request *r, int error, enum probe_run_step step,
                      const struct probe_counts *counts)
{
    if (step == PROBE_RUN_BY)
        say("probe: --by '%s': none of these probes has such an argument; 'hprof probe %s list' "
            "has their names",
            r->run.by, r->target);
    else if (step == PROBE_RUN_PAIRS && counts->why[0])
        say("probe: --pairs: %s", counts->why);
    else if (step == PROBE_RUN_PAIRS)
        say("probe: --pairs: by their names, none of these probes begins or ends something that "
            "another one of its library ends or begins; --pair A,B takes any two");
    else if (counts->why[0] && counts->wrong)
        say("probe: %s: %s", counts->wrong, counts->why);
    else if (counts->why[0])
        say("probe: %s", counts->why);
    else if (counts->wrong && error == E_RANGE)
        say("probe: --pair: '%s' names several probes; one is wanted, as PROVIDER:NAME",
            counts->wrong);
    else if (counts->wrong)
        say("probe: --pair: '%s' names no probe that may be put; 'hprof probe %s list' has the "
            "names",
            counts->wrong, r->target);
    else
        return false;
    return true;
}

static int say_error(const struct request *r, const struct probe_sites *s, int error,
                     enum probe_run_step step, const struct probe_counts *counts)
{
    if (say_wrong(r, error, step, counts))
        return CMD_FAILED;
    if (error == E_NOT_FOUND)
        return say_none(r, s);
    if (error == E_UNSUPPORTED)
        say("probe: %s: no probe may be put: the file on disk is not the one that runs, or has no "
            "build-id",
            r->target);
    else if (error == -ENOENT)
        say("probe: this kernel has no uprobes (CONFIG_UPROBE_EVENTS); 'list' works without");
    else if (error == -EACCES || error == -EPERM)
        say("probe: perf_event_open is refused: %s take root, or CAP_PERFMON with CAP_SYS_ADMIN "
            "for "
            "uprobes, and seccomp rules that allow it; 'list' works without",
            "count and trace");
    else if (error == -EOPNOTSUPP)
        say("probe: this kernel cannot watch returns of functions, or probes that must be turned "
            "on, by perf_event_open; name other probes");
    else if (error == -EMFILE)
        say("probe: too many files are open: a probe takes one for each processor and site; name "
            "fewer probes, or raise ulimit -n");
    else if (error == E_LIMIT && step == PROBE_RUN_OTHER)
        say("probe: --output: a recording has at most %d probes; name fewer", PROBE_RECORD_TYPES);
    else if (error == E_LIMIT)
        say("probe: at most %d pairs; name fewer", PROBE_PAIR_MOST);
    else if (error == E_FACT_MISSING)
        say("probe: --stack: this JVM's tables do not say %s", counts->missing);
    else
        say("probe: the probes cannot be put: %s", err_text(error));
    return CMD_FAILED;
}

/* Say of how many stacks something is true; nothing if it is of none. */
static void say_stacks(const struct probe_counts *c, uint64_t count, const char *what)
{
    if (count)
        say("probe: of %llu stack%s %llu %s %s", (unsigned long long)c->stacks.walked,
            plural_s(c->stacks.walked), (unsigned long long)count, plural_of(count, "is", "are"),
            what);
}

/* Say what found no partner, in one line. */
static void say_unpaired(const struct probe_open_counts *c)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } parts[] = {
        {c->ends, "end without a begin that was seen", "ends without a begin that was seen"},
        {c->waiting, "begin that has no end yet", "begins that have no end yet"},
        {c->exited, "begin of a thread that has ended", "begins of threads that have ended"},
        {c->skipped, "call whose return was not seen", "calls whose return was not seen"},
        {c->full, "begin too many to wait for its end", "begins too many to wait for their ends"},
        {c->lost, "begin given up when hits were lost", "begins given up when hits were lost"},
    };
    char line[512] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (parts[i].count)
            at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%llu %s", at ? ", " : "",
                                   (unsigned long long)parts[i].count,
                                   parts[i].count == 1 ? parts[i].one : parts[i].many);
    if (at)
        say("probe: not in pairs: %s", line);
}

static void say_counts(const struct probe_counts *c)
{
    if (c->has_pairs)
        say_unpaired(&c->pairs);
    if (c->filtered)
        say("probe: %llu %s left out by --where", (unsigned long long)c->filtered,
            c->has_pairs ? plural_of(c->filtered, "hit or pair was", "hits or pairs were")
                         : plural_of(c->filtered, "hit was", "hits were"));
    if (c->late)
        say("probe: %llu hit%s came behind younger ones", (unsigned long long)c->late,
            plural_s(c->late));
    if (c->others)
        say("probe: %llu hit%s of other processes that run the same file %s not shown",
            (unsigned long long)c->others, plural_s(c->others), plural_of(c->others, "is", "are"));
    if (c->unusable)
        say("probe: %u site%s may not be used and %s no probe%s%s", c->unusable,
            plural_s(c->unusable), plural_of(c->unusable, "has", "have"), c->refused ? ": " : "",
            c->refused ? c->refused : "");
    if (c->dropped)
        say("probe: %llu of %llu hits were above --max-rate, and are counted alone",
            (unsigned long long)c->dropped, (unsigned long long)c->hits);
    if (c->stacks.bare)
        say("probe: %llu wait%s without a stack: --max-rate stacks are copied in a second",
            (unsigned long long)c->stacks.bare, plural_of(c->stacks.bare, " is", "s are"));
    say_stacks(c, c->stacks.cut,
               "cut: the thread's stack was larger than the copied bytes; --stack-bytes has more");
    say_stacks(c, c->stacks.frozen, "without the frames of a virtual thread that lay in the heap");
    say_stacks(c, c->stacks.broken, "not whole: their frames lead nowhere");
    if (c->lost)
        say("probe: %llu hit%s %s lost: they came faster than they could be read",
            (unsigned long long)c->lost, plural_s(c->lost), plural_of(c->lost, "was", "were"));
}

static void say_begun(uint32_t sites)
{
    say("probe: watching %u site%s", sites, plural_s(sites));
}

static int record_probes(struct request *r, struct probe_sites *s)
{
    struct probe_counts counts = {0};
    enum probe_run_step step = PROBE_RUN_OTHER;
    struct outfile file;
    struct sink out;
    r->run.is_ended = end_signals_catch(true);
    if (outfile_open("probe", r->out, &file) < 0)
        return CMD_FAILED;
    r->run.is_recorded = true;
    int error = sink_init(&out, file.file.fd);
    if (error == 0)
        error = probe_run_do(s, &r->run, &out, &counts, &step);
    sink_done(&out);
    int written = error < 0 ? error : counts.record_error;
    int closed = outfile_close(&file, written);
    if (error < 0)
        return say_error(r, s, error, step, &counts);
    say_counts(&counts);
    if (written < 0)
        say("probe: %s: %s", r->out, err_text(written));
    return written < 0 || closed < 0 ? CMD_FAILED : CMD_OK;
}

static int run_probes(struct request *r, struct probe_sites *s)
{
    struct probe_counts counts;
    enum probe_run_step step;
    struct plainout out;
    r->run.is_ended = end_signals_catch(true);
    int error = plainout_open(&out, true);
    if (error < 0) {
        say("probe: %s", err_text(error));
        return CMD_FAILED;
    }
    error = probe_run_do(s, &r->run, &out.sink, &counts, &step);
    int written = plainout_done(&out);
    if (error < 0)
        return say_error(r, s, error, step, &counts);
    say_counts(&counts);
    if (written < 0 && written != -EPIPE)
        say("probe: %s", err_text(written));
    return written < 0 ? CMD_FAILED : CMD_OK;
}

static int probe(struct request *r, pid_t pid)
{
    struct probe_sites sites;
    int status = CMD_FAILED, error = probe_sites_open(pid, &sites);
    r->run.pid = pid;
    if (error < 0)
        outside_say_process(r->target, pid, error);
    else if (strcmp(r->what, "list") == 0)
        status = list(r, &sites);
    else if (r->out)
        status = record_probes(r, &sites);
    else
        status = run_probes(r, &sites);
    probe_sites_close(&sites);
    return status;
}

/* ---- the command line */

/* Names of functions are looked at before anything is opened. */
static int check_name(const char *option, const char *name)
{
    const char *why;
    uint64_t least_ns;
    bool is_right = true;
    if (probe_offcpu_is(name))
        is_right = probe_offcpu_check(name, &least_ns, &why);
    else if (probe_function_is(name))
        is_right = probe_function_check(name, &why);
    if (is_right)
        return 0;
    say("probe: %s'%s': %s", option, name, why);
    return E_SYNTAX;
}

static int take_pair(struct request *r, const char *value)
{
    const char *comma = probe_pair_comma(value);
    uint32_t n = r->run.pairs.named_count;
    if (!comma) {
        say("probe: --pair '%s': two names are wanted, as in monitor__wait,monitor__waited", value);
        return E_SYNTAX;
    }
    if (n == PROBE_PAIR_NAMED) {
        say("probe: --pair: at most %d", PROBE_PAIR_NAMED);
        return E_SYNTAX;
    }
    char *text = strdup(value);
    if (!text) {
        say("probe: %s", err_text(-ENOMEM));
        return -ENOMEM;
    }
    r->halves[n] = text;
    text[comma - value] = '\0';
    r->run.pairs.named[n] = (struct probe_pair_names){text, text + (comma - value) + 1};
    r->run.pairs.named_count++;
    int error = check_name("--pair ", r->run.pairs.named[n].begin);
    return error ? error : check_name("--pair ", r->run.pairs.named[n].end);
}

static int take_where(struct request *r, const struct cmd *self, const char *value)
{
    int error = values_condition(self, value);
    if (error)
        return error;
    error = probe_where_add(&r->run.where, value);
    if (error)
        say("probe: --where: at most %d", PROBE_WHERE_MOST);
    return error;
}

static int take_word(struct request *r, const char *word)
{
    if (!r->target)
        r->target = word;
    else if (!r->what)
        r->what = word;
    else if (r->run.count < NAMES_MOST) {
        r->names[r->run.count++] = word;
        return check_name("", word);
    } else {
        say("probe: at most %d names", NAMES_MOST);
        return E_SYNTAX;
    }
    return 0;
}

static int take_stack_bytes(struct request *r, const struct cmd *self, const char *value)
{
    int error =
        values_count(self, "stack-bytes", value, PROBE_RING_STACK_MOST, &r->run.stack_bytes);
    if (error == 0 && r->run.stack_bytes < STACK_BYTES_LEAST) {
        say("probe: --stack-bytes %s: at least %d", value, STACK_BYTES_LEAST);
        return E_SYNTAX;
    }
    return error;
}

static int take(struct request *r, const struct cmd *self, int id, const char *value)
{
    switch (id) {
    case OPT_JSON:
        r->is_json = r->run.is_json = true;
        return 0;
    case OPT_BY:
        r->run.by = value;
        return 0;
    case OPT_DURATION:
        return values_seconds(self, "duration", value, &r->run.duration_ns);
    case OPT_OUT:
        r->out = value;
        return 0;
    case OPT_PAIR:
        return take_pair(r, value);
    case OPT_PAIRS:
        r->run.pairs.by_names = true;
        return 0;
    case OPT_WHERE:
        return take_where(r, self, value);
    case OPT_RATE:
        return values_count(self, "max-rate", value, RATE_MOST, &r->run.rate);
    case OPT_STACK:
        r->has_stack = true;
        return 0;
    case OPT_STACK_BYTES:
        r->has_stack = true;
        return take_stack_bytes(r, self, value);
    case OPTS_WORD:
        return take_word(r, value);
    default:
        return E_SYNTAX;
    }
}

static bool is_jfr(const char *path)
{
    static const char suffix[] = ".jfr";
    size_t len = strlen(path), n = sizeof(suffix) - 1;
    return len > n && strcmp(path + len - n, suffix) == 0;
}

static int check(struct request *r, const struct cmd *self)
{
    bool is_list = r->what && strcmp(r->what, "list") == 0;
    bool is_count = r->what && strcmp(r->what, "count") == 0;
    r->run.is_trace = r->what && strcmp(r->what, "trace") == 0;
    if (!r->target) {
        say("probe: no process named; usage: hprof probe [OPTION...] %s", self->operands);
        return E_SYNTAX;
    }
    if (!is_list && !is_count && !r->run.is_trace) {
        say("probe: %s%s%slist, count or trace is wanted behind the process",
            r->what ? "not '" : "", r->what ? r->what : "", r->what ? "': " : "");
        return E_SYNTAX;
    }
    if (is_list && (r->run.pairs.by_names || r->run.pairs.named_count || r->run.where.count)) {
        say("probe: %s goes with count and trace", r->run.where.count      ? "--where"
                                                   : r->run.pairs.by_names ? "--pairs"
                                                                           : "--pair");
        return E_SYNTAX;
    }
    for (uint32_t i = 0; i < r->run.pairs.named_count; i++) {
        r->names[r->run.count++] = r->run.pairs.named[i].begin;
        r->names[r->run.count++] = r->run.pairs.named[i].end;
    }
    if (!is_list && r->run.count == 0) {
        say("probe: %s NAME...: no probe named; 'hprof probe %s list' has the names", r->what,
            r->target);
        return E_SYNTAX;
    }
    if (r->out && (!r->run.is_trace || r->is_json)) {
        say("probe: --output goes with trace, without --json");
        return E_SYNTAX;
    }
    if (r->out && !is_jfr(r->out)) {
        say("probe: --output '%s': a JFR file is wanted, as in hits.jfr; text and lines of JSON go "
            "to "
            "standard output",
            r->out);
        return E_SYNTAX;
    }
    if (r->has_stack && !r->run.is_trace) {
        say("probe: --stack goes with trace");
        return E_SYNTAX;
    }
    if ((r->run.by && !is_count) || (is_list && r->run.duration_ns)) {
        say("probe: %s", is_list && r->run.duration_ns ? "--duration goes with count and trace"
                                                       : "--by goes with count");
        return E_SYNTAX;
    }
    return 0;
}

static int run_request(const struct cmd *self, int argc, char **argv, struct request *request)
{
    struct jvms jvms = {0};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (take(request, self, id, opts.value) < 0)
            return CMD_USAGE;
    }
    if (check(request, self) < 0)
        return CMD_USAGE;
    if (request->run.rate == UINT32_MAX)
        request->run.rate = request->has_stack ? RATE_STACK : RATE;
    if (request->has_stack && request->run.stack_bytes == 0)
        request->run.stack_bytes = STACK_BYTES;
    int status = jvm_target_find(self, request->target, JVM_TARGET_ONE, &jvms);
    if (status == 0)
        status = probe(request, jvms.rows[0].process.pid);
    jvms_done(&jvms);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.run = {.rate = UINT32_MAX, .begun = say_begun}};
    r.run.names = r.names;
    int status = run_request(self, argc, argv, &r);
    for (unsigned i = 0; i < PROBE_PAIR_NAMED; i++)
        free(r.halves[i]);
    return status;
}

const struct cmd cmd_probe = {
    .name = "probe",
    .group = CMD_LOOKS,
    .help = "List, count or trace the probes (USDT) and functions of a JVM's libraries",
    .others = "bpftrace",
    .operands = "TARGET list|count|trace [NAME...]",
    .needs = "a live process",
    .options = options,
    .run = run,
};
