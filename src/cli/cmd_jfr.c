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
#include "command/diag_say.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/tabular.h"
#include "command/values.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfrtool/jfr_where.h"
#include "jfrtool/jfrtool.h"
#include "query/query_view.h"

enum {
    NUMBER_MAX = 1000000, /* the largest number that the command line accepts */
    DEPTH_DEFAULT = 5,    /* `print`: frames of a stack */
    CHUNKS_DEFAULT = 5,   /* `disassemble`: chunks in each file */
    /* Columns of `view`, if --truncate or --cell-height is given without --width. */
    WIDTH_DEFAULT = 120,
};

extern const struct cmd cmd_jfr;

/* ---- the options, and where each value is stored */

/* The options; each is a bit of request.given. */
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
    OPT_WIDTH,
    OPT_TRUNCATE,
    OPT_CELL_HEIGHT,
    OPT_CONTEXT,
    OPT_SORT,
    OPT_FORMAT,
    OPT_SQL,
};

#define BIT(option) (UINT64_C(1) << (option))

/* What the command line asks for. */
struct request {
    const struct cmd *self;
    struct jfrtool_print print;
    struct jfrtool_view view;
    struct jfrtool_events events;
    struct jfrtool_cut cut;
    struct jfrtool_split split;
    struct jfrtool_configure configure;
    const char *what, *from, *to, *output, *jdk, *diff;
    struct tabular_how tables; /* how tables are written */
    uint64_t given;            /* bit N: option N */
    const char **words;        /* the words after `what` */
    size_t count;
};

static const struct opt options[] = {
    {OPT_EVENTS, 0, "events", "NAMES",
     "print, tail, metadata: events of these names, comma-separated, with * and ?"},
    {OPT_CATEGORIES, 0, "categories", "NAMES", "print, tail, metadata: events of these categories"},
    {OPT_STACK_DEPTH, 0, "depth", "N", "print, tail: so many frames of each stack (5)"},
    {OPT_STACK_DEPTH, 0, "stack-depth", "N", "the same, in the word of the JDK's jfr"},
    {OPT_JSON, 0, "json", NULL, "print, tail: as JSON"},
    {OPT_XML, 0, "xml", NULL, "print, tail: as XML"},
    {OPT_CONTEXT, 0, "context", NULL,
     "print: in JSON, too, what the events around each one say (text has it anyway)"},
    {OPT_TIME, 0, "time", "CLOCK", "print, tail: moments as utc, nanotime, ticks or local (local)"},
    {OPT_EXACT, 0, "exact", NULL, "print, tail: numbers and times with all their digits"},
    {OPT_WHERE, 0, "where", "CONDITION",
     "view: of events for which FIELD=VALUE, also with != < <= > >=; several: for which all hold"},
    {OPT_GROUP_BY, 0, "group-by", "FIELD",
     "view: by this field, or by EVENT.FIELD of the event around; several: by all of them"},
    {OPT_SUM, 0, "sum", "FIELD", "view: the sum of this field for each group"},
    {OPT_TOP, 'n', "top", "N", "view: so many rows (20; those with a name: 25 or all)"},
    {OPT_SORT, 0, "sort", "COLUMN",
     "view: order the rows by this column; COLUMN:asc or COLUMN:desc names the way"},
    {OPT_FORMAT, 0, "format", "NAME", "view: write rows as csv or json; text is for people (text)"},
    {OPT_SQL, 0, "sql", NULL, "view: print the SQL for 'hprof query' that has the same rows"},
    {OPT_WIDTH, 0, "width", "N", "view: tables of so many characters (what they need)"},
    {OPT_TRUNCATE, 0, "truncate", "beginning|end",
     "view: what text loses that does not fit its cell (end)"},
    {OPT_CELL_HEIGHT, 0, "cell-height", "N", "view: so many lines of a cell (1)"},
    {OPT_JDK, 0, "jdk", "N",
     "events: those of this JDK; configure: default and profile of this one"},
    {OPT_DIFF, 0, "diff", "N M", "events: what JDK M has otherwise than JDK N"},
    {OPT_FROM, 0, "from", "TIME",
     "print, view, cut: from this time on: seconds since the start, a time or nanotime:N"},
    {OPT_TO, 0, "to", "TIME",
     "print, view, cut: up to this time; events: html, a page to search in"},
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
    {OPT_VERBOSE, 0, "verbose", NULL,
     "view: print the query, too; configure: tell which settings have changed"},
    {OPT_OUTPUT, 'o', "output", "FILE",
     "events, cut, scrub, merge, configure: into this file; disassemble: into this folder"},
    {0},
};

/* The values if no option is given. */
static const struct request defaults = {
    .print = {.stack_depth = DEPTH_DEFAULT, .style = &jfr_pretty_style},
};

/* The member of struct request that an option sets. */
static const struct field {
    int id;
    enum { TEXT, COUNT, POSITIVE, SIZE, FLAG, CLOCK, SIDE, STYLE } kind;
    size_t at; /* offset in struct request */
    const struct jfr_printer_style *style;
} fields[] = {
#define FIELD(id, kind, member)                                                                    \
    {                                                                                              \
        id, kind, offsetof(struct request, member), NULL                                           \
    }
    FIELD(OPT_EVENTS, TEXT, print.filter.events),
    FIELD(OPT_CATEGORIES, TEXT, print.filter.categories),
    FIELD(OPT_STACK_DEPTH, COUNT, print.stack_depth),
    {OPT_JSON, STYLE, offsetof(struct request, print.style), &jfr_json_style},
    {OPT_XML, STYLE, offsetof(struct request, print.style), &jfr_xml_style},
    FIELD(OPT_TIME, CLOCK, print.clock),
    FIELD(OPT_EXACT, FLAG, print.is_exact),
    FIELD(OPT_SUM, TEXT, view.sum),
    FIELD(OPT_TOP, COUNT, view.top),
    FIELD(OPT_WIDTH, POSITIVE, view.layout.width),
    FIELD(OPT_TRUNCATE, SIDE, view.layout.cuts_beginning),
    FIELD(OPT_CELL_HEIGHT, POSITIVE, view.layout.cell_height),
    FIELD(OPT_VERBOSE, FLAG, view.is_verbose),
    FIELD(OPT_JDK, TEXT, jdk),
    FIELD(OPT_DIFF, TEXT, diff),
    FIELD(OPT_FROM, TEXT, from),
    FIELD(OPT_TO, TEXT, to),
    FIELD(OPT_OUTPUT, TEXT, output),
    FIELD(OPT_REDACT, TEXT, cut.redact),
    FIELD(OPT_REDACT_KEY, TEXT, cut.redact_key),
    FIELD(OPT_MAX_CHUNKS, COUNT, split.chunks_max),
    FIELD(OPT_MAX_SIZE, SIZE, split.bytes_max),
    FIELD(OPT_INPUT, TEXT, configure.inputs),
    FIELD(OPT_VERBOSE, FLAG, configure.is_verbose),
#undef FIELD
};

/* The options that add a filter. */
static const struct cut_option {
    int id;
    enum jfrtool_filter_about about;
    bool is_excluding;
} cut_options[] = {
    {OPT_EVENTS, JFRTOOL_FILTER_EVENTS, false},
    {OPT_CATEGORIES, JFRTOOL_FILTER_CATEGORIES, false},
    {OPT_THREAD, JFRTOOL_FILTER_THREADS, false},
    {OPT_INCLUDE_EVENTS, JFRTOOL_FILTER_EVENTS, false},
    {OPT_EXCLUDE_EVENTS, JFRTOOL_FILTER_EVENTS, true},
    {OPT_INCLUDE_CATEGORIES, JFRTOOL_FILTER_CATEGORIES, false},
    {OPT_EXCLUDE_CATEGORIES, JFRTOOL_FILTER_CATEGORIES, true},
    {OPT_INCLUDE_THREADS, JFRTOOL_FILTER_THREADS, false},
    {OPT_EXCLUDE_THREADS, JFRTOOL_FILTER_THREADS, true},
};

static int take_cut_filter(struct request *r, int id, const char *value)
{
    for (size_t i = 0; i < sizeof(cut_options) / sizeof(cut_options[0]); i++) {
        if (cut_options[i].id != id)
            continue;
        if (r->cut.filter_count == JFRTOOL_FILTERS) {
            say("jfr: more than %d filters", JFRTOOL_FILTERS);
            return E_SYNTAX;
        }
        r->cut.filters[r->cut.filter_count++] =
            (struct jfrtool_filter){cut_options[i].about, cut_options[i].is_excluding, value};
    }
    return 0;
}

static const char *name_of(int id)
{
    const struct opt *o = options;
    while (o->id != id)
        o++;
    return o->name;
}

/* Stores options of a view that may be given several times. */
static int take_again(struct request *r, int id, const char *value)
{
    struct jfr_where_set *where = &r->view.where;
    if ((id == OPT_WHERE && where->count == JFR_WHERE_MAX) ||
        (id == OPT_GROUP_BY && r->view.key_count == JFRTOOL_KEYS)) {
        say("jfr: more than %d times --%s", id == OPT_WHERE ? JFR_WHERE_MAX : JFRTOOL_KEYS,
            name_of(id));
        return E_SYNTAX;
    }
    if (id == OPT_WHERE)
        where->of[where->count++] = value;
    if (id == OPT_GROUP_BY)
        r->view.keys[r->view.key_count++] = value;
    return 0;
}

static int take_clock(enum jfr_printer_clock *ret, const char *value)
{
    static const char *const words[] = {[JFR_PRINTER_LOCAL] = "local",
                                        [JFR_PRINTER_UTC] = "utc",
                                        [JFR_PRINTER_NANOTIME] = "nanotime",
                                        [JFR_PRINTER_TICKS] = "ticks"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], value) == 0) {
            *ret = (enum jfr_printer_clock)i;
            return 0;
        }
    say("jfr: --time '%s': one of local, utc, nanotime, ticks is wanted", value);
    return E_SYNTAX;
}

/* Takes the options of all tables (command/tabular.h). */
static int take_tabular(struct request *r, int id, const char *value)
{
    if (id == OPT_SORT)
        return tabular_take_sort("jfr", value, &r->tables.sort);
    return id == OPT_FORMAT ? tabular_take_form("jfr", value, &r->tables.form) : 0;
}

static int take_positive(const struct request *r, int id, const char *value, uint32_t *ret)
{
    int error = values_count(r->self, name_of(id), value, NUMBER_MAX, ret);
    if (error || *ret > 0)
        return error;
    say("jfr: --%s 0: 1 at least is wanted", name_of(id));
    return E_SYNTAX;
}

static int take_side(bool *ret_is_beginning, const char *value)
{
    *ret_is_beginning = strcmp(value, "beginning") == 0;
    if (*ret_is_beginning || strcmp(value, "end") == 0)
        return 0;
    say("jfr: --truncate '%s': beginning or end is wanted", value);
    return E_SYNTAX;
}

static int take_field(struct request *r, const struct field *f, const char *value)
{
    void *at = (char *)r + f->at;
    switch (f->kind) {
    case TEXT:
        *(const char **)at = value;
        return 0;
    case COUNT:
        return values_count(r->self, name_of(f->id), value, NUMBER_MAX, at);
    case POSITIVE:
        return take_positive(r, f->id, value, at);
    case SIDE:
        return take_side(at, value);
    case SIZE:
        return values_size(r->self, name_of(f->id), value, at);
    case FLAG:
        *(bool *)at = true;
        return 0;
    case CLOCK:
        return take_clock(at, value);
    case STYLE:
        *(const struct jfr_printer_style **)at = f->style;
        return 0;
    }
    return E_SYNTAX;
}

/* Stores an option or word that opts_next() returned. There is room for all words in `words`.
 * Errors: 0, or negative after saying why, also if it is neither an option nor a word. */
static int take(struct request *r, int id, const char *value)
{
    int error;
    if (id == OPTS_WORD) {
        if (!r->what)
            r->what = value;
        else
            r->words[r->count++] = value;
        return 0;
    }
    if (id <= 0)
        return E_SYNTAX;
    r->given |= BIT(id);
    error = take_cut_filter(r, id, value);
    if (!error)
        error = take_again(r, id, value);
    if (!error)
        error = take_tabular(r, id, value);
    for (size_t i = 0; !error && i < sizeof(fields) / sizeof(fields[0]); i++)
        if (fields[i].id == id)
            error = take_field(r, &fields[i], value);
    return error;
}

/* Applies --context, which changes the style. Errors: 0; E_SYNTAX after saying why. */
static int apply_context(struct request *r)
{
    if (!(r->given & BIT(OPT_CONTEXT)))
        return 0;
    if (r->print.style == &jfr_xml_style) {
        say("jfr: --context: XML does not have it; take --json, or text, which has it anyway");
        return E_SYNTAX;
    }
    if (r->print.style == &jfr_json_style)
        r->print.style = &jfr_json_with_contexts;
    return 0;
}

/* Parses --from and --to. Errors: 0; E_SYNTAX after saying why. */
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
    if (window_is_empty(range)) {
        say("jfr: --to '%s' is not behind --from '%s'", r->to, r->from);
        return E_SYNTAX;
    }
    return 0;
}

/* ---- what each word does */

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
    r->view.out->input = path;
    return jfr_view_all_is(r->view.name) ? jfr_view_all_print(&r->view, path)
                                         : jfr_view_print(&r->view, path);
}

typedef int file_printer(const struct request *r, const char *path);

/* Call `print` for each file. The file names are the words from `first` on. */
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

static int run_print(struct request *r)
{
    if (take_range(r, &r->print.range) < 0 || apply_context(r) < 0)
        return CMD_USAGE;
    return each_file(r, 0, print_events);
}

static int run_tail(struct request *r)
{
    if (r->count != 1) {
        say("jfr: a repository is wanted; usage: hprof jfr tail [OPTION...] FOLDER");
        return CMD_USAGE;
    }
    return jfr_print_tail(&r->print, r->words[0]);
}

static int run_metadata(struct request *r)
{
    return each_file(r, 0, print_types);
}

static int check_conditions(const struct jfr_where_set *where)
{
    int error = 0;
    for (uint32_t i = 0; i < where->count && error == 0; i++)
        error = values_condition(&cmd_jfr, where->of[i]);
    return error;
}

/* Prints the SQL of a view for one file. It is that of the whole view: the options that choose rows
 * are conditions of SQL, which the user adds. */
static int print_sql(const struct request *r)
{
    const uint64_t others = r->given & ~(BIT(OPT_SQL) | BIT(OPT_TOP));
    struct plainout out;
    for (const struct opt *o = options; o->id != 0; o++)
        if (others & BIT(o->id)) {
            say("jfr: --sql goes with --top alone: what --%s does, the SQL can be changed to do",
                o->name);
            return CMD_USAGE;
        }
    if (r->count != 2 || jfr_view_all_is(r->view.name)) {
        say("jfr: --sql is for one view and one file");
        return CMD_USAGE;
    }
    int error = plainout_open(&out, true);
    if (error < 0) {
        say("jfr: %s", err_text(error));
        return CMD_FAILED;
    }
    error = query_view_write(r->words[1], r->view.name, r->view.top, diag_say(), &out.sink);
    int done = plainout_done(&out);
    return error == 0 && done == 0 ? CMD_OK : CMD_FAILED;
}

static int run_view(struct request *r)
{
    if (r->count == 0) {
        jfr_named_list();
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
    if (take_range(r, &r->view.range) < 0)
        return CMD_USAGE;
    if (r->view.layout.width == 0 && r->given & (BIT(OPT_TRUNCATE) | BIT(OPT_CELL_HEIGHT)))
        r->view.layout.width = WIDTH_DEFAULT;
    if (r->given & BIT(OPT_SQL))
        return print_sql(r);
    struct tabular_out out = {.how = &r->tables,
                              .command = "jfr",
                              .has_inputs = r->count > 2,
                              .has_tables = jfr_view_all_is(r->view.name) &&
                                            strcmp(r->view.name, "types") != 0};
    r->view.out = &out;
    int status = each_file(r, 1, print_view);
    int error = tabular_finish(&out);
    return tabular_status(error, status);
}

/* The number of a JDK whose events are in the catalogue; 0 after saying which JDKs are. */
static unsigned known_jdk(const struct request *r, const char *option, const char *text)
{
    char known[128] = "";
    size_t count, len = 0;
    const unsigned *releases = jfr_catalogue_releases(&count);
    uint32_t number;
    if (values_count(r->self, option, text, NUMBER_MAX, &number) < 0)
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

/* The words are the input and, as in the JDK's tool, the output. */
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

#define FILTERS (BIT(OPT_EVENTS) | BIT(OPT_CATEGORIES))
#define RANGE (BIT(OPT_FROM) | BIT(OPT_TO))
#define SCRUB                                                                                      \
    (BIT(OPT_INCLUDE_EVENTS) | BIT(OPT_EXCLUDE_EVENTS) | BIT(OPT_INCLUDE_CATEGORIES) |             \
     BIT(OPT_EXCLUDE_CATEGORIES) | BIT(OPT_INCLUDE_THREADS) | BIT(OPT_EXCLUDE_THREADS) |           \
     BIT(OPT_REDACT) | BIT(OPT_REDACT_KEY))

/* The first words that the command line may have, and the function for each. */
static const struct what {
    const char *word;
    int (*run)(struct request *r);
    uint64_t takes; /* a set of options: bit N is option N */
} whats[] = {
    {"summary", run_summary, 0},
    {"print", run_print,
     FILTERS | RANGE | BIT(OPT_STACK_DEPTH) | BIT(OPT_JSON) | BIT(OPT_XML) | BIT(OPT_TIME) |
         BIT(OPT_EXACT) | BIT(OPT_CONTEXT)},
    {"tail", run_tail,
     FILTERS | BIT(OPT_STACK_DEPTH) | BIT(OPT_JSON) | BIT(OPT_XML) | BIT(OPT_TIME) |
         BIT(OPT_EXACT)},
    {"metadata", run_metadata, FILTERS},
    {"events", run_events, BIT(OPT_JDK) | BIT(OPT_DIFF) | BIT(OPT_TO) | BIT(OPT_OUTPUT)},
    {"view", run_view,
     RANGE | BIT(OPT_WHERE) | BIT(OPT_GROUP_BY) | BIT(OPT_SUM) | BIT(OPT_TOP) | BIT(OPT_WIDTH) |
         BIT(OPT_TRUNCATE) | BIT(OPT_CELL_HEIGHT) | BIT(OPT_VERBOSE) | BIT(OPT_SORT) |
         BIT(OPT_FORMAT) | BIT(OPT_SQL)},
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
    for (const struct opt *o = options; o->id != 0; o++)
        if (given & ~what->takes & BIT(o->id)) {
            say("jfr: %s takes no --%s; 'hprof help jfr' says what does", what->word, o->name);
            return false;
        }
    return true;
}

static int run_what(struct request *r)
{
    const struct what *what = find_what(r->what);
    return what && takes_all(what, r->given) ? what->run(r) : CMD_USAGE;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = defaults;
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
        if (id == OPTS_ERROR || take(&r, id, opts.value) < 0)
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
    .options = options,
    .run = run,
};
