/*
 * cmd_jfr.c - `hprof jfr WHAT FILE...`: what is in a JFR file of any JDK.
 *
 * The words and options are those of the JDK's tool `jfr`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/help.h"
#include "cli/jfr_declare.h"
#include "cli/jfr_json.h"
#include "cli/jfr_pretty.h"
#include "cli/jfr_print.h"
#include "cli/jfr_summary.h"
#include "cli/jfr_view.h"
#include "cli/jfr_where.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/values.h"

enum {
    OPT_EVENTS = 1,
    OPT_CATEGORIES,
    OPT_STACK_DEPTH,
    OPT_JSON,
    OPT_EXACT,
    OPT_WHERE,
    OPT_GROUP_BY,
    OPT_SUM,
    OPT_TOP,
    DEPTH_DEFAULT = 5,
    DEPTH_MAX = 1000000,
    TOP_DEFAULT = 20,
};

static const struct opt options[] = {
    {OPT_EVENTS, 0, "events", "NAMES",
     "print, metadata: events of these names, comma-separated, with * and ?"},
    {OPT_CATEGORIES, 0, "categories", "NAMES", "print, metadata: events of these categories"},
    {OPT_STACK_DEPTH, 0, "stack-depth", "N", "print: so many frames of each stack (5)"},
    {OPT_JSON, 0, "json", NULL, "print: as JSON"},
    {OPT_EXACT, 0, "exact", NULL, "print: numbers and times with all their digits"},
    {OPT_WHERE, 0, "where", "CONDITION",
     "view: of events for which FIELD=VALUE, also with != < <= > >="},
    {OPT_GROUP_BY, 0, "group-by", "FIELD",
     "view: by this field, or by EVENT.FIELD of the event around"},
    {OPT_SUM, 0, "sum", "FIELD", "view: the sum of this field for each group"},
    {OPT_TOP, 'n', "top", "N", "view: so many rows (20)"},
    {0},
};

struct request {
    struct jfr_print print;
    struct jfr_view view;
    const char *what;
    unsigned given; /* bit N: option N */
    const char **files;
    size_t count;
};

static const struct jfr_print_style json = {jfr_json_begin, jfr_json_event, jfr_json_end};
static const struct jfr_print_style pretty = {jfr_pretty_begin, jfr_pretty_event, jfr_pretty_end};

static int run_summary(const struct request *r, const char *path)
{
    (void)r;
    return jfr_summary_print(path);
}

static int run_print(const struct request *r, const char *path)
{
    return jfr_print_file(&r->print, path);
}

static int run_metadata(const struct request *r, const char *path)
{
    return jfr_declare_print(path, &r->print.filter);
}

static int run_view(const struct request *r, const char *path)
{
    return jfr_view_print(&r->view, path);
}

#define FILTERS (1u << OPT_EVENTS | 1u << OPT_CATEGORIES)

/* What can be asked of a file. */
static const struct what {
    const char *word;
    int (*run)(const struct request *r, const char *path);
    unsigned takes; /* bit N: option N */
} whats[] = {
    {"summary", run_summary, 0},
    {"print", run_print, FILTERS | 1u << OPT_STACK_DEPTH | 1u << OPT_JSON | 1u << OPT_EXACT},
    {"metadata", run_metadata, FILTERS},
    {"view", run_view, 1u << OPT_WHERE | 1u << OPT_GROUP_BY | 1u << OPT_SUM | 1u << OPT_TOP},
};

static const struct what *find_what(const char *word)
{
    for (size_t i = 0; word && i < sizeof(whats) / sizeof(whats[0]); i++)
        if (strcmp(whats[i].word, word) == 0)
            return &whats[i];
    if (word)
        say("jfr: unknown '%s'; 'hprof help jfr' lists what there is", word);
    else
        say("jfr: nothing asked for; usage: hprof jfr summary|print|metadata|view NAME FILE...");
    return NULL;
}

/* Whether all options that were given are some of `what`; says which one is not. */
static bool takes_all(const struct what *what, unsigned given)
{
    for (const struct opt *o = options; o->id != 0; o++)
        if (given & ~what->takes & 1u << o->id) {
            say("jfr: %s takes no --%s; 'hprof help jfr' says what does", what->word, o->name);
            return false;
        }
    return true;
}

/* 0, or negative after saying why. */
static int take_option(struct request *r, const struct cmd *self, int id, const char *value)
{
    uint32_t depth;
    int error;

    if (id > 0)
        r->given |= 1u << id;
    switch (id) {
    case OPT_EVENTS:
        r->print.filter.events = value;
        return 0;
    case OPT_CATEGORIES:
        r->print.filter.categories = value;
        return 0;
    case OPT_STACK_DEPTH:
        error = values_count(self, "stack-depth", value, DEPTH_MAX, &depth);
        if (error == 0)
            r->print.stack_depth = depth;
        return error;
    case OPT_JSON:
        r->print.style = &json;
        return 0;
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
        return values_count(self, "top", value, DEPTH_MAX, &r->view.top);
    case OPT_EXACT:
        r->print.is_exact = true;
        return 0;
    case OPTS_WORD:
        if (!r->what)
            r->what = value;
        else if (strcmp(r->what, "view") == 0 && !r->view.name)
            r->view.name = value;
        else
            r->files[r->count++] = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

static int run_all(const struct request *r)
{
    const struct what *what = find_what(r->what);
    int status = CMD_OK;

    if (!what || !takes_all(what, r->given))
        return CMD_USAGE;
    if (what->run == run_view && !r->view.name) {
        jfr_view_list(stdout);
        return CMD_OK;
    }
    if (r->view.where && !jfr_where_is(r->view.where)) {
        say("jfr: --where '%s': FIELD=VALUE is wanted, or != < <= > >=", r->view.where);
        return CMD_USAGE;
    }
    if (r->count == 0) {
        say("jfr: no file named; usage: hprof jfr %s [OPTION...] FILE...", what->word);
        return CMD_USAGE;
    }
    for (size_t i = 0; i < r->count; i++)
        if (what->run(r, r->files[i]) != CMD_OK)
            status = CMD_FAILED;
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {
        .print = {.stack_depth = DEPTH_DEFAULT, .style = &pretty},
        .view = {.top = TOP_DEFAULT},
        .files = calloc((size_t)argc, sizeof(*r.files)),
    };
    struct opts opts;
    int status = CMD_USAGE;

    if (!r.files)
        return CMD_FAILED;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || take_option(&r, self, id, opts.value) < 0)
            goto out;
    }
    status = run_all(&r);
out:
    free(r.files);
    return status;
}

const struct cmd cmd_jfr = {
    .name = "jfr",
    .help = "Show what a JFR recording of any JDK has",
    .operands = "summary|print|metadata|view NAME FILE...",
    .needs = "a JFR file",
    .options = options,
    .run = run,
};
