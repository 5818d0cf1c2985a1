/*
 * cmd_jfr.c - `hprof jfr WHAT FILE...`: what is in a JFR file of any JDK.
 *
 * The words and options are those of the JDK's tool `jfr`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/help.h"
#include "cli/jfr_catalogue.h"
#include "cli/jfr_configure.h"
#include "cli/jfr_cut.h"
#include "cli/jfr_declare.h"
#include "cli/jfr_events.h"
#include "cli/jfr_json.h"
#include "cli/jfr_merge.h"
#include "cli/jfr_pretty.h"
#include "cli/jfr_print.h"
#include "cli/jfr_split.h"
#include "cli/jfr_summary.h"
#include "cli/jfr_tail.h"
#include "cli/jfr_view.h"
#include "cli/jfr_where.h"
#include "cli/jfr_xml.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/values.h"

enum {
    OPT_EVENTS = 1,
    OPT_CATEGORIES,
    OPT_STACK_DEPTH,
    OPT_JSON,
    OPT_XML,
    OPT_TIME,
    OPT_EXACT,
    OPT_WHERE,
    OPT_GROUP_BY,
    OPT_SUM,
    OPT_TOP,
    OPT_JDK,
    OPT_DIFF,
    OPT_TO,
    OPT_OUTPUT,
    OPT_FROM,
    OPT_THREAD,
    OPT_INCLUDE_EVENTS,
    OPT_EXCLUDE_EVENTS,
    OPT_INCLUDE_CATEGORIES,
    OPT_EXCLUDE_CATEGORIES,
    OPT_INCLUDE_THREADS,
    OPT_EXCLUDE_THREADS,
    OPT_REDACT,
    OPT_REDACT_KEY,
    OPT_MAX_CHUNKS,
    OPT_MAX_SIZE,
    OPT_INPUT,
    OPT_VERBOSE,
    CHUNKS_DEFAULT = 5,
    DEPTH_DEFAULT = 5,
    DEPTH_MAX = 1000000,
    TOP_DEFAULT = 20,
};

static const struct opt options[] = {
    {OPT_EVENTS, 0, "events", "NAMES",
     "print, tail, metadata: events of these names, comma-separated, with * and ?"},
    {OPT_CATEGORIES, 0, "categories", "NAMES", "print, tail, metadata: events of these categories"},
    {OPT_STACK_DEPTH, 0, "stack-depth", "N", "print, tail: so many frames of each stack (5)"},
    {OPT_JSON, 0, "json", NULL, "print, tail: as JSON"},
    {OPT_XML, 0, "xml", NULL, "print, tail: as XML"},
    {OPT_TIME, 0, "time", "CLOCK", "print, tail: moments as utc, nanotime, ticks or local (local)"},
    {OPT_EXACT, 0, "exact", NULL, "print, tail: numbers and times with all their digits"},
    {OPT_WHERE, 0, "where", "CONDITION",
     "view: of events for which FIELD=VALUE, also with != < <= > >="},
    {OPT_GROUP_BY, 0, "group-by", "FIELD",
     "view: by this field, or by EVENT.FIELD of the event around"},
    {OPT_SUM, 0, "sum", "FIELD", "view: the sum of this field for each group"},
    {OPT_TOP, 'n', "top", "N", "view: so many rows (20)"},
    {OPT_JDK, 0, "jdk", "N",
     "events: those of this JDK; configure: default and profile of this one"},
    {OPT_DIFF, 0, "diff", "N M", "events: what JDK M has otherwise than JDK N"},
    {OPT_FROM, 0, "from", "TIME",
     "print, cut: from this time on: seconds since the start, a time or nanotime:N"},
    {OPT_TO, 0, "to", "TIME", "print, cut: up to this time; events: html, a page to search in"},
    {OPT_THREAD, 0, "thread", "NAMES", "cut: events of these threads"},
    {OPT_INCLUDE_EVENTS, 0, "include-events", "NAMES", "scrub: keep these events alone"},
    {OPT_EXCLUDE_EVENTS, 0, "exclude-events", "NAMES", "scrub: leave these events out"},
    {OPT_INCLUDE_CATEGORIES, 0, "include-categories", "NAMES", "scrub: the same by category"},
    {OPT_EXCLUDE_CATEGORIES, 0, "exclude-categories", "NAMES", "scrub: the same by category"},
    {OPT_INCLUDE_THREADS, 0, "include-threads", "NAMES", "scrub: the same by thread"},
    {OPT_EXCLUDE_THREADS, 0, "exclude-threads", "NAMES", "scrub: the same by thread"},
    {OPT_REDACT, 0, "redact", "TEXTS", "scrub: write (redacted) for texts that fit these patterns"},
    {OPT_REDACT_KEY, 0, "redact-key", "NAMES",
     "scrub: the same for values of properties, variables and arguments of these names"},
    {OPT_MAX_CHUNKS, 0, "max-chunks", "N", "disassemble: so many chunks in a file (5)"},
    {OPT_MAX_SIZE, 0, "max-size", "SIZE", "disassemble: so many bytes in a file"},
    {OPT_INPUT, 0, "input", "FILES",
     "configure: from these .jfc files, comma-separated; also default, profile, none (default)"},
    {OPT_VERBOSE, 0, "verbose", NULL, "configure: tell which settings have changed"},
    {OPT_OUTPUT, 'o', "output", "FILE",
     "events, cut, scrub, merge, configure: into this file; disassemble: into this folder"},
    {0},
};

struct request {
    const struct cmd *self;
    struct jfr_print print;
    struct jfr_view view;
    struct jfr_events events;
    struct jfr_cut cut;
    struct jfr_split split;
    struct jfr_configure configure;
    const char *what, *from, *to, *output, *jdk, *diff;
    uint64_t given;     /* bit N: option N */
    const char **words; /* behind `what` */
    size_t count;
};

extern const struct cmd cmd_jfr;

static const struct jfr_print_style json = {jfr_json_begin, jfr_json_event, jfr_json_end, false};
static const struct jfr_print_style xml = {jfr_xml_begin, jfr_xml_event, jfr_xml_end, false};
static const struct jfr_print_style pretty = {jfr_pretty_begin, jfr_pretty_event, jfr_pretty_end,
                                              .has_contexts = true};

static int print_summary(const struct request *r, const char *path)
{
    (void)r;
    return jfr_summary_print(path);
}

static int print_events(const struct request *r, const char *path)
{
    return jfr_print_file(&r->print, path);
}

static int print_types(const struct request *r, const char *path)
{
    return jfr_declare_print(path, &r->print.filter);
}

static int print_view(const struct request *r, const char *path)
{
    return jfr_view_print(&r->view, path);
}

typedef int file_printer(const struct request *r, const char *path);

/* The same for each file, the words from `first` on. */
static int each_file(const struct request *r, size_t first, file_printer *print)
{
    int status = CMD_OK;

    if (first >= r->count) {
        say("jfr: no file named; usage: hprof jfr %s [OPTION...] FILE...", r->what);
        return CMD_USAGE;
    }
    for (size_t i = first; i < r->count; i++)
        if (print(r, r->words[i]) != CMD_OK)
            status = CMD_FAILED;
    return status;
}

static int run_summary(struct request *r)
{
    return each_file(r, 0, print_summary);
}

/* --from and --to. */
static int take_range(const struct request *r, struct window *range)
{
    const struct {
        const char *name, *text;
        struct window_edge *edge;
    } rows[] = {{"from", r->from, &range->from}, {"to", r->to, &range->to}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].text && window_parse(rows[i].text, rows[i].edge) < 0) {
            say("jfr: --%s '%s': " WINDOW_WANTED, rows[i].name, rows[i].text);
            return E_SYNTAX;
        }
    return 0;
}

static int run_print(struct request *r)
{
    if (take_range(r, &r->print.range) < 0)
        return CMD_USAGE;
    return each_file(r, 0, print_events);
}

static int run_tail(struct request *r)
{
    if (r->count != 1) {
        say("jfr: a repository is wanted; usage: hprof jfr tail [OPTION...] FOLDER");
        return CMD_USAGE;
    }
    return jfr_tail_print(&r->print, r->words[0]);
}

static int run_metadata(struct request *r)
{
    return each_file(r, 0, print_types);
}

static int run_view(struct request *r)
{
    if (r->count == 0) {
        jfr_view_list(stdout);
        return CMD_OK;
    }
    if (r->view.where && !jfr_where_is(r->view.where)) {
        say("jfr: --where '%s': FIELD=VALUE is wanted, or != < <= > >=", r->view.where);
        return CMD_USAGE;
    }
    r->view.name = r->words[0];
    return each_file(r, 1, print_view);
}

/* The number of a JDK whose events are known; 0 after saying which ones are. */
static unsigned known_jdk(const struct request *r, const char *option, const char *text)
{
    char known[128] = "";
    size_t count, len = 0;
    const unsigned *releases = jfr_catalogue_releases(&count);
    uint32_t number;

    if (values_count(r->self, option, text, DEPTH_MAX, &number) < 0)
        return 0;
    for (size_t i = 0; i < count && len < sizeof(known); i++) {
        if (releases[i] == number)
            return number;
        len += (size_t)snprintf(known + len, sizeof(known) - len, " %u", releases[i]);
    }
    say("jfr: --%s %s: the events of that JDK are not known; known are those of%s", option, text,
        known);
    return 0;
}

/* "--diff 17 25" has one value and one word. */
static int take_diff(struct request *r, const char *text)
{
    char before[16];
    size_t len = strcspn(text, ",");
    const char *after = text[len] == ',' ? text + len + 1 : r->count > 0 ? r->words[0] : NULL;

    if (!after || len >= sizeof(before)) {
        say("jfr: --diff: two JDKs are wanted, as in --diff 17 25");
        return E_SYNTAX;
    }
    if (text[len] == '\0') {
        r->words++;
        r->count--;
    }
    memcpy(before, text, len);
    before[len] = '\0';
    r->events.jdk = known_jdk(r, "diff", before);
    r->events.diff_with = r->events.jdk > 0 ? known_jdk(r, "diff", after) : 0;
    return r->events.diff_with > 0 ? 0 : E_SYNTAX;
}

static bool is_page(const char *path)
{
    size_t len = path ? strlen(path) : 0;

    return len > 5 && strcmp(path + len - 5, ".html") == 0;
}

static int run_events(struct request *r)
{
    if (r->diff && take_diff(r, r->diff) < 0)
        return CMD_USAGE;
    if (r->jdk && (r->events.jdk = known_jdk(r, "jdk", r->jdk)) == 0)
        return CMD_USAGE;
    if (r->to && strcmp(r->to, "html") != 0) {
        say("jfr: --to '%s': events are written as html, or as text without it", r->to);
        return CMD_USAGE;
    }
    r->events.is_page = r->to || is_page(r->output);
    r->events.path = r->output ? r->output : "-";
    return jfr_events_print(&r->events, r->words, r->count);
}

/* The input, and as the JDK's tool has it, the output. */
static int run_cut_words(struct request *r)
{
    if (r->count == 0 || r->count > 2 || (r->count == 2 && r->output)) {
        say("jfr: one file is wanted; usage: hprof jfr %s [OPTION...] FILE [OUTPUT]", r->what);
        return CMD_USAGE;
    }
    r->cut.output = r->count == 2 ? r->words[1] : r->output;
    return jfr_cut_file(&r->cut, r->words[0]);
}

static int run_cut(struct request *r)
{
    if (take_range(r, &r->cut.range) < 0)
        return CMD_USAGE;
    if (!window_is_set(&r->cut.range) && r->cut.filter_count == 0) {
        say("jfr: cut what? give --from, --to, --thread, --events or --categories");
        return CMD_USAGE;
    }
    r->cut.suffix = "-cut";
    return run_cut_words(r);
}

static int run_scrub(struct request *r)
{
    r->cut.suffix = "-scrubbed";
    return run_cut_words(r);
}

static int run_assemble(struct request *r)
{
    if (r->count != 2) {
        say("jfr: a folder and a file are wanted; usage: hprof jfr assemble FOLDER FILE");
        return CMD_USAGE;
    }
    return jfr_split_assemble(r->words[0], r->words[1]);
}

static int run_merge(struct request *r)
{
    if (r->count < 2 || !r->output) {
        say("jfr: several files are wanted, and the name of the one that they become; usage: hprof "
            "jfr merge --output FILE FILE...");
        return CMD_USAGE;
    }
    return jfr_merge_files(r->words, r->count, r->output);
}

static int run_disassemble(struct request *r)
{
    if (r->count != 1) {
        say("jfr: one file is wanted; usage: hprof jfr disassemble [OPTION...] FILE");
        return CMD_USAGE;
    }
    if (r->split.chunks_max == 0 && r->split.bytes_max == 0)
        r->split.chunks_max = CHUNKS_DEFAULT;
    r->split.folder = r->output ? r->output : ".";
    return jfr_split_file(&r->split, r->words[0]);
}

static int run_configure(struct request *r)
{
    if (r->jdk && (r->configure.jdk = known_jdk(r, "jdk", r->jdk)) == 0)
        return CMD_USAGE;
    r->configure.output = r->output;
    return jfr_configure_run(&r->configure, r->words, r->count);
}

#define BIT(option) (UINT64_C(1) << (option))
#define FILTERS (BIT(OPT_EVENTS) | BIT(OPT_CATEGORIES))
#define RANGE (BIT(OPT_FROM) | BIT(OPT_TO))
#define SCRUB                                                                                      \
    (BIT(OPT_INCLUDE_EVENTS) | BIT(OPT_EXCLUDE_EVENTS) | BIT(OPT_INCLUDE_CATEGORIES) |             \
     BIT(OPT_EXCLUDE_CATEGORIES) | BIT(OPT_INCLUDE_THREADS) | BIT(OPT_EXCLUDE_THREADS) |           \
     BIT(OPT_REDACT) | BIT(OPT_REDACT_KEY))

/* What can be asked for. */
static const struct what {
    const char *word;
    int (*run)(struct request *r);
    uint64_t takes; /* bit N: option N */
} whats[] = {
    {"summary", run_summary, 0},
    {"print", run_print,
     FILTERS | RANGE | BIT(OPT_STACK_DEPTH) | BIT(OPT_JSON) | BIT(OPT_XML) | BIT(OPT_TIME) |
         BIT(OPT_EXACT)},
    {"tail", run_tail,
     FILTERS | BIT(OPT_STACK_DEPTH) | BIT(OPT_JSON) | BIT(OPT_XML) | BIT(OPT_TIME) |
         BIT(OPT_EXACT)},
    {"metadata", run_metadata, FILTERS},
    {"events", run_events, BIT(OPT_JDK) | BIT(OPT_DIFF) | BIT(OPT_TO) | BIT(OPT_OUTPUT)},
    {"view", run_view, BIT(OPT_WHERE) | BIT(OPT_GROUP_BY) | BIT(OPT_SUM) | BIT(OPT_TOP)},
    {"cut", run_cut, FILTERS | RANGE | BIT(OPT_THREAD) | BIT(OPT_OUTPUT)},
    {"scrub", run_scrub, SCRUB | BIT(OPT_OUTPUT)},
    {"configure", run_configure,
     BIT(OPT_INPUT) | BIT(OPT_JDK) | BIT(OPT_VERBOSE) | BIT(OPT_OUTPUT)},
    {"merge", run_merge, BIT(OPT_OUTPUT)},
    {"assemble", run_assemble, 0},
    {"disassemble", run_disassemble, BIT(OPT_MAX_CHUNKS) | BIT(OPT_MAX_SIZE) | BIT(OPT_OUTPUT)},
};

static const struct what *find_what(const char *word)
{
    for (size_t i = 0; word && i < sizeof(whats) / sizeof(whats[0]); i++)
        if (strcmp(whats[i].word, word) == 0)
            return &whats[i];
    if (word)
        say("jfr: unknown '%s'; 'hprof help jfr' lists what there is", word);
    else
        say("jfr: nothing asked for; usage: hprof jfr %s", cmd_jfr.operands);
    return NULL;
}

/* Whether all options that were given are some of `what`; says which one is not. */
static bool takes_all(const struct what *what, uint64_t given)
{
    for (const struct opt *o = options; o->id != 0; o++)
        if (given & ~what->takes & BIT(o->id)) {
            say("jfr: %s takes no --%s; 'hprof help jfr' says what does", what->word, o->name);
            return false;
        }
    return true;
}

/* Options that filter what is written, by their numbers. */
static const struct cut_option {
    int id;
    enum jfr_cut_about about;
    bool is_excluding;
} cut_options[] = {
    {OPT_EVENTS, JFR_CUT_EVENTS, false},
    {OPT_CATEGORIES, JFR_CUT_CATEGORIES, false},
    {OPT_THREAD, JFR_CUT_THREADS, false},
    {OPT_INCLUDE_EVENTS, JFR_CUT_EVENTS, false},
    {OPT_EXCLUDE_EVENTS, JFR_CUT_EVENTS, true},
    {OPT_INCLUDE_CATEGORIES, JFR_CUT_CATEGORIES, false},
    {OPT_EXCLUDE_CATEGORIES, JFR_CUT_CATEGORIES, true},
    {OPT_INCLUDE_THREADS, JFR_CUT_THREADS, false},
    {OPT_EXCLUDE_THREADS, JFR_CUT_THREADS, true},
};

static int take_cut_filter(struct request *r, int id, const char *value)
{
    for (size_t i = 0; i < sizeof(cut_options) / sizeof(cut_options[0]); i++) {
        if (cut_options[i].id != id)
            continue;
        if (r->cut.filter_count == JFR_CUT_FILTERS) {
            say("jfr: more than %d filters", JFR_CUT_FILTERS);
            return E_SYNTAX;
        }
        r->cut.filters[r->cut.filter_count++] =
            (struct jfr_cut_filter){cut_options[i].about, cut_options[i].is_excluding, value};
    }
    return 0;
}

static int take_clock(struct request *r, const char *value)
{
    static const char *const words[] = {[JFR_PRINTER_LOCAL] = "local",
                                        [JFR_PRINTER_UTC] = "utc",
                                        [JFR_PRINTER_NANOTIME] = "nanotime",
                                        [JFR_PRINTER_TICKS] = "ticks"};

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], value) == 0) {
            r->print.clock = (enum jfr_printer_clock)i;
            return 0;
        }
    say("jfr: --time '%s': one of local, utc, nanotime, ticks is wanted", value);
    return E_SYNTAX;
}

/* 0, or negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    uint32_t depth, chunks;
    int error = take_cut_filter(r, id, value);

    if (error < 0)
        return error;
    if (id > 0)
        r->given |= BIT(id);
    switch (id) {
    case OPT_EVENTS:
        r->print.filter.events = value;
        return 0;
    case OPT_CATEGORIES:
        r->print.filter.categories = value;
        return 0;
    case OPT_STACK_DEPTH:
        error = values_count(r->self, "stack-depth", value, DEPTH_MAX, &depth);
        if (error == 0)
            r->print.stack_depth = depth;
        return error;
    case OPT_JSON:
        r->print.style = &json;
        return 0;
    case OPT_XML:
        r->print.style = &xml;
        return 0;
    case OPT_TIME:
        return take_clock(r, value);
    case OPT_WHERE:
        r->view.where = value;
        return 0;
    case OPT_GROUP_BY:
        r->view.group_by = value;
        return 0;
    case OPT_SUM:
        r->view.sum = value;
        return 0;
    case OPT_TOP:
        return values_count(r->self, "top", value, DEPTH_MAX, &r->view.top);
    case OPT_EXACT:
        r->print.is_exact = true;
        return 0;
    case OPT_JDK:
        r->jdk = value;
        return 0;
    case OPT_DIFF:
        r->diff = value;
        return 0;
    case OPT_TO:
        r->to = value;
        return 0;
    case OPT_OUTPUT:
        r->output = value;
        return 0;
    case OPT_FROM:
        r->from = value;
        return 0;
    case OPT_REDACT:
        r->cut.redact = value;
        return 0;
    case OPT_REDACT_KEY:
        r->cut.redact_key = value;
        return 0;
    case OPT_MAX_CHUNKS:
        error = values_count(r->self, "max-chunks", value, DEPTH_MAX, &chunks);
        if (error == 0)
            r->split.chunks_max = chunks;
        return error;
    case OPT_INPUT:
        r->configure.inputs = value;
        return 0;
    case OPT_VERBOSE:
        r->configure.is_verbose = true;
        return 0;
    case OPT_MAX_SIZE:
        return values_size(r->self, "max-size", value, &r->split.bytes_max);
    case OPT_THREAD:
    case OPT_INCLUDE_EVENTS:
    case OPT_EXCLUDE_EVENTS:
    case OPT_INCLUDE_CATEGORIES:
    case OPT_EXCLUDE_CATEGORIES:
    case OPT_INCLUDE_THREADS:
    case OPT_EXCLUDE_THREADS:
        return 0;
    case OPTS_WORD:
        if (!r->what)
            r->what = value;
        else
            r->words[r->count++] = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int run_what(struct request *r)
{
    const struct what *what = find_what(r->what);

    return what && takes_all(what, r->given) ? what->run(r) : CMD_USAGE;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {
        .print = {.stack_depth = DEPTH_DEFAULT, .style = &pretty},
        .view = {.top = TOP_DEFAULT},
        .self = self,
    };
    const char **words = calloc((size_t)argc, sizeof(*words));
    struct opts opts;
    int status = CMD_USAGE;

    if (!words)
        return CMD_FAILED;
    r.words = words;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || take_option(&r, id, opts.value) < 0)
            goto out;
    }
    status = run_what(&r);
out:
    free(words);
    return status;
}

const struct cmd cmd_jfr = {
    .name = "jfr",
    .help = "Show what a JFR recording of any JDK has",
    .operands = "summary|print|tail|metadata|events|view|cut|scrub|merge|configure|assemble|"
                "disassemble FILE...",
    .needs = "a JFR file",
    .options = options,
    .run = run,
};
