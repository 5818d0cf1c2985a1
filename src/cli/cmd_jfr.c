/*
 * cmd_jfr.c - `hprof jfr WHAT FILE...`: shows and changes JFR files of any JDK.
 *
 * The words and options are those of the JDK's tool `jfr`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "command/help.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfrtool/jfr_declare.h"
#include "jfrtool/jfr_merge.h"
#include "jfrtool/jfr_named.h"
#include "cli/jfr_request.h"
#include "jfrtool/jfr_summary.h"
#include "jfrtool/jfr_tail.h"
#include "jfrtool/jfr_view_all.h"
#include "jfrtool/jfr_where.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"

enum {
    CHUNKS_DEFAULT = 5, /* `disassemble`: chunks in each file */
    /* Columns of `view`, if --truncate or --cell-height is given without --width. */
    WIDTH_DEFAULT = 120,
};

extern const struct cmd cmd_jfr;

static int print_summary(const struct jfr_request *r, const char *path)
{
    (void)r;
    return jfr_summary_print(path);
}

static int print_events(const struct jfr_request *r, const char *path)
{
    return jfr_print_file(&r->print, path);
}

static int print_types(const struct jfr_request *r, const char *path)
{
    return jfr_declare_print(path, &r->print.filter);
}

static int print_view(const struct jfr_request *r, const char *path)
{
    return jfr_view_all_is(r->view.name) ? jfr_view_all_print(&r->view, path)
                                         : jfr_view_print(&r->view, path);
}

typedef int file_printer(const struct jfr_request *r, const char *path);

/* Call `print` for each file. The file names are the words from `first` on. */
static int each_file(const struct jfr_request *r, size_t first, file_printer *print)
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

static int run_summary(struct jfr_request *r)
{
    return each_file(r, 0, print_summary);
}

static int run_print(struct jfr_request *r)
{
    if (jfr_request_range(r, &r->print.range) < 0 || jfr_request_context(r) < 0)
        return CMD_USAGE;
    return each_file(r, 0, print_events);
}

static int run_tail(struct jfr_request *r)
{
    if (r->count != 1) {
        say("jfr: a repository is wanted; usage: hprof jfr tail [OPTION...] FOLDER");
        return CMD_USAGE;
    }
    return jfr_tail_print(&r->print, r->words[0]);
}

static int run_metadata(struct jfr_request *r)
{
    return each_file(r, 0, print_types);
}

static int check_conditions(const struct jfr_where_set *where)
{
    for (uint32_t i = 0; i < where->count; i++) {
        const char *second = jfr_where_second(where->of[i]);
        if (!jfr_where_is(where->of[i]))
            say("jfr: --where '%s': FIELD=VALUE is wanted, or != < <= > >=", where->of[i]);
        else if (second)
            say("jfr: --where '%s': one condition is wanted, not '%s'; of several --where all hold",
                where->of[i], second + strspn(second, " "));
        else
            continue;
        return E_SYNTAX;
    }
    return 0;
}

static int run_view(struct jfr_request *r)
{
    if (r->count == 0) {
        jfr_named_list(stdout);
        jfr_view_all_list();
        return CMD_OK;
    }
    if (check_conditions(&r->view.where) < 0)
        return CMD_USAGE;
    if (r->view.sum && r->view.key_count == 0) {
        say("jfr: --sum '%s': of what? name a field with --group-by, too", r->view.sum);
        return CMD_USAGE;
    }
    r->view.name = r->words[0];
    if (r->count == 1) {
        say("jfr: %s; usage: hprof jfr view [OPTION...] VIEW|EVENTS FILE...; "
            "'hprof jfr view' lists the views",
            access(r->view.name, F_OK) == 0 ? "a view is named before the file" : "no file named");
        return CMD_USAGE;
    }
    if (jfr_view_all_is(r->view.name) && r->view.key_count > 0) {
        say("jfr: %s has groups of its own, and takes no --group-by and --sum", r->view.name);
        return CMD_USAGE;
    }
    if (r->view.layout.width == 0 &&
        r->given & (JFR_REQUEST_BIT(JFR_OPT_TRUNCATE) | JFR_REQUEST_BIT(JFR_OPT_CELL_HEIGHT)))
        r->view.layout.width = WIDTH_DEFAULT;
    return each_file(r, 1, print_view);
}

/* The number of a JDK whose events are in the catalogue; 0 after saying which JDKs are. */
static unsigned known_jdk(const struct jfr_request *r, const char *option, const char *text)
{
    char known[128] = "";
    size_t count, len = 0;
    const unsigned *releases = jfr_catalogue_releases(&count);
    uint32_t number;
    if (values_count(r->self, option, text, JFR_REQUEST_COUNT_MAX, &number) < 0)
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

/* In "--diff 17 25" the 17 is the option's value and the 25 is a word. "--diff 17,25" has no
 * word. */
static int take_diff(struct jfr_request *r, const char *text)
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

static int run_events(struct jfr_request *r)
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

/* The words are the input and, as in the JDK's tool, the output. */
static int run_cut_words(struct jfr_request *r)
{
    if (r->count == 0 || r->count > 2 || (r->count == 2 && r->output)) {
        say("jfr: one file is wanted; usage: hprof jfr %s [OPTION...] FILE [OUTPUT]", r->what);
        return CMD_USAGE;
    }
    r->cut.output = r->count == 2 ? r->words[1] : r->output;
    return jfr_cut_file(&r->cut, r->words[0]);
}

static int run_cut(struct jfr_request *r)
{
    if (jfr_request_range(r, &r->cut.range) < 0)
        return CMD_USAGE;
    if (!window_is_set(&r->cut.range) && r->cut.filter_count == 0) {
        say("jfr: cut what? give --from, --to, --thread, --events or --categories");
        return CMD_USAGE;
    }
    r->cut.suffix = "-cut";
    return run_cut_words(r);
}

static int run_scrub(struct jfr_request *r)
{
    r->cut.suffix = "-scrubbed";
    return run_cut_words(r);
}

static int run_assemble(struct jfr_request *r)
{
    if (r->count != 2) {
        say("jfr: a folder and a file are wanted; usage: hprof jfr assemble FOLDER FILE");
        return CMD_USAGE;
    }
    return jfr_split_assemble(r->words[0], r->words[1]);
}

static int run_merge(struct jfr_request *r)
{
    if (r->count < 2 || !r->output) {
        say("jfr: several files are wanted, and the name of the one that they become; usage: hprof "
            "jfr merge --output FILE FILE...");
        return CMD_USAGE;
    }
    return jfr_merge_files(r->words, r->count, r->output);
}

static int run_disassemble(struct jfr_request *r)
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

static int run_configure(struct jfr_request *r)
{
    if (r->jdk && (r->configure.jdk = known_jdk(r, "jdk", r->jdk)) == 0)
        return CMD_USAGE;
    r->configure.output = r->output;
    return jfr_configure_run(&r->configure, r->words, r->count);
}

#define BIT JFR_REQUEST_BIT
#define FILTERS (BIT(JFR_OPT_EVENTS) | BIT(JFR_OPT_CATEGORIES))
#define RANGE (BIT(JFR_OPT_FROM) | BIT(JFR_OPT_TO))
#define SCRUB                                                                                      \
    (BIT(JFR_OPT_INCLUDE_EVENTS) | BIT(JFR_OPT_EXCLUDE_EVENTS) | BIT(JFR_OPT_INCLUDE_CATEGORIES) | \
     BIT(JFR_OPT_EXCLUDE_CATEGORIES) | BIT(JFR_OPT_INCLUDE_THREADS) |                              \
     BIT(JFR_OPT_EXCLUDE_THREADS) | BIT(JFR_OPT_REDACT) | BIT(JFR_OPT_REDACT_KEY))

/* The first words that the command line may have, and the function for each. */
static const struct what {
    const char *word;
    int (*run)(struct jfr_request *r);
    uint64_t takes; /* a set of options: bit N is option N */
} whats[] = {
    {"summary", run_summary, 0},
    {"print", run_print,
     FILTERS | RANGE | BIT(JFR_OPT_STACK_DEPTH) | BIT(JFR_OPT_JSON) | BIT(JFR_OPT_XML) |
         BIT(JFR_OPT_TIME) | BIT(JFR_OPT_EXACT) | BIT(JFR_OPT_CONTEXT)},
    {"tail", run_tail,
     FILTERS | BIT(JFR_OPT_STACK_DEPTH) | BIT(JFR_OPT_JSON) | BIT(JFR_OPT_XML) | BIT(JFR_OPT_TIME) |
         BIT(JFR_OPT_EXACT)},
    {"metadata", run_metadata, FILTERS},
    {"events", run_events,
     BIT(JFR_OPT_JDK) | BIT(JFR_OPT_DIFF) | BIT(JFR_OPT_TO) | BIT(JFR_OPT_OUTPUT)},
    {"view", run_view,
     BIT(JFR_OPT_WHERE) | BIT(JFR_OPT_GROUP_BY) | BIT(JFR_OPT_SUM) | BIT(JFR_OPT_TOP) |
         BIT(JFR_OPT_WIDTH) | BIT(JFR_OPT_TRUNCATE) | BIT(JFR_OPT_CELL_HEIGHT) |
         BIT(JFR_OPT_VERBOSE)},
    {"cut", run_cut, FILTERS | RANGE | BIT(JFR_OPT_THREAD) | BIT(JFR_OPT_OUTPUT)},
    {"scrub", run_scrub, SCRUB | BIT(JFR_OPT_OUTPUT)},
    {"configure", run_configure,
     BIT(JFR_OPT_INPUT) | BIT(JFR_OPT_JDK) | BIT(JFR_OPT_VERBOSE) | BIT(JFR_OPT_OUTPUT)},
    {"merge", run_merge, BIT(JFR_OPT_OUTPUT)},
    {"assemble", run_assemble, 0},
    {"disassemble", run_disassemble,
     BIT(JFR_OPT_MAX_CHUNKS) | BIT(JFR_OPT_MAX_SIZE) | BIT(JFR_OPT_OUTPUT)},
};

static const struct what *find_what(const char *word)
{
    for (size_t i = 0; word && i < sizeof(whats) / sizeof(whats[0]); i++)
        if (strcmp(whats[i].word, word) == 0)
            return &whats[i];
    if (word && access(word, F_OK) == 0)
        say("jfr: what of '%s'? usage: hprof jfr %s", word, cmd_jfr.operands);
    else if (word)
        say("jfr: unknown '%s'; 'hprof help jfr' lists what there is", word);
    else
        say("jfr: nothing asked for; usage: hprof jfr %s", cmd_jfr.operands);
    return NULL;
}

/* Whether `what` takes all options that were given. If not, says which option it does not take. */
static bool takes_all(const struct what *what, uint64_t given)
{
    for (const struct opt *o = jfr_request_options; o->id != 0; o++)
        if (given & ~what->takes & BIT(o->id)) {
            say("jfr: %s takes no --%s; 'hprof help jfr' says what does", what->word, o->name);
            return false;
        }
    return true;
}

static int run_what(struct jfr_request *r)
{
    const struct what *what = find_what(r->what);
    return what && takes_all(what, r->given) ? what->run(r) : CMD_USAGE;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct jfr_request r = jfr_request_defaults;
    const char **words = calloc((size_t)argc, sizeof(*words));
    struct opts opts;
    int status = CMD_USAGE;
    if (!words)
        return CMD_FAILED;
    r.self = self;
    r.words = words;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || jfr_request_take(&r, id, opts.value) < 0)
            goto out;
    }
    status = run_what(&r);
out:
    free(words);
    return status;
}

const struct cmd cmd_jfr = {
    .name = "jfr",
    .group = CMD_READS,
    .help = "Show what a JFR recording of any JDK has",
    .operands = "summary|print|tail|metadata|events|view|cut|scrub|merge|configure|assemble|"
                "disassemble FILE...",
    .needs = "a JFR file",
    .options = jfr_request_options,
    .run = run,
};
