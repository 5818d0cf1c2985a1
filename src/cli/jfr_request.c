/*
 * jfr_request.c - see jfr_request.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_request.h"
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "jfrtool/jfr_json.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_xml.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"

enum { DEPTH_DEFAULT = 5 };

const struct opt jfr_request_options[] = {
    {JFR_OPT_EVENTS, 0, "events", "NAMES",
     "print, tail, metadata: events of these names, comma-separated, with * and ?"},
    {JFR_OPT_CATEGORIES, 0, "categories", "NAMES",
     "print, tail, metadata: events of these categories"},
    {JFR_OPT_STACK_DEPTH, 0, "depth", "N", "print, tail: so many frames of each stack (5)"},
    {JFR_OPT_STACK_DEPTH, 0, "stack-depth", "N", "the same, in the word of the JDK's jfr"},
    {JFR_OPT_JSON, 0, "json", NULL, "print, tail: as JSON"},
    {JFR_OPT_XML, 0, "xml", NULL, "print, tail: as XML"},
    {JFR_OPT_CONTEXT, 0, "context", NULL,
     "print: in JSON, too, what the events around each one say (text has it anyway)"},
    {JFR_OPT_TIME, 0, "time", "CLOCK",
     "print, tail: moments as utc, nanotime, ticks or local (local)"},
    {JFR_OPT_EXACT, 0, "exact", NULL, "print, tail: numbers and times with all their digits"},
    {JFR_OPT_WHERE, 0, "where", "CONDITION",
     "view: of events for which FIELD=VALUE, also with != < <= > >=; several: for which all hold"},
    {JFR_OPT_GROUP_BY, 0, "group-by", "FIELD",
     "view: by this field, or by EVENT.FIELD of the event around; several: by all of them"},
    {JFR_OPT_SUM, 0, "sum", "FIELD", "view: the sum of this field for each group"},
    {JFR_OPT_TOP, 'n', "top", "N", "view: so many rows (20; those with a name: 25 or all)"},
    {JFR_OPT_WIDTH, 0, "width", "N", "view: tables of so many characters (what they need)"},
    {JFR_OPT_TRUNCATE, 0, "truncate", "beginning|end",
     "view: what text loses that does not fit its cell (end)"},
    {JFR_OPT_CELL_HEIGHT, 0, "cell-height", "N", "view: so many lines of a cell (1)"},
    {JFR_OPT_JDK, 0, "jdk", "N",
     "events: those of this JDK; configure: default and profile of this one"},
    {JFR_OPT_DIFF, 0, "diff", "N M", "events: what JDK M has otherwise than JDK N"},
    {JFR_OPT_FROM, 0, "from", "TIME",
     "print, cut: from this time on: seconds since the start, a time or nanotime:N"},
    {JFR_OPT_TO, 0, "to", "TIME", "print, cut: up to this time; events: html, a page to search in"},
    {JFR_OPT_THREAD, 0, "thread", "NAMES", "cut: events of these threads"},
    {JFR_OPT_INCLUDE_EVENTS, 0, "include-events", "NAMES", "scrub: keep these events alone"},
    {JFR_OPT_EXCLUDE_EVENTS, 0, "exclude-events", "NAMES", "scrub: leave these events out"},
    {JFR_OPT_INCLUDE_CATEGORIES, 0, "include-categories", "NAMES", "scrub: the same by category"},
    {JFR_OPT_EXCLUDE_CATEGORIES, 0, "exclude-categories", "NAMES", "scrub: the same by category"},
    {JFR_OPT_INCLUDE_THREADS, 0, "include-threads", "NAMES", "scrub: the same by thread"},
    {JFR_OPT_EXCLUDE_THREADS, 0, "exclude-threads", "NAMES", "scrub: the same by thread"},
    {JFR_OPT_REDACT, 0, "redact", "TEXTS",
     "scrub: write (redacted) for texts that fit these patterns"},
    {JFR_OPT_REDACT_KEY, 0, "redact-key", "NAMES",
     "scrub: the same for values of properties, variables and arguments of these names"},
    {JFR_OPT_MAX_CHUNKS, 0, "max-chunks", "N", "disassemble: so many chunks in a file (5)"},
    {JFR_OPT_MAX_SIZE, 0, "max-size", "SIZE", "disassemble: so many bytes in a file"},
    {JFR_OPT_INPUT, 0, "input", "FILES",
     "configure: from these .jfc files, comma-separated; also default, profile, none (default)"},
    {JFR_OPT_VERBOSE, 0, "verbose", NULL,
     "view: print the query, too; configure: tell which settings have changed"},
    {JFR_OPT_OUTPUT, 'o', "output", "FILE",
     "events, cut, scrub, merge, configure: into this file; disassemble: into this folder"},
    {0},
};

static const struct jfr_print_style json = {jfr_json_begin, jfr_json_event, jfr_json_end, NULL,
                                            true};
static const struct jfr_print_style json_context = {jfr_json_begin, jfr_json_event, jfr_json_end,
                                                    jfr_json_context, true};
static const struct jfr_print_style xml = {jfr_xml_begin, jfr_xml_event, jfr_xml_end, NULL, true};
static const struct jfr_print_style pretty = {jfr_pretty_begin, jfr_pretty_event, jfr_pretty_end,
                                              jfr_pretty_context, false};

const struct jfr_request jfr_request_defaults = {
    .print = {.stack_depth = DEPTH_DEFAULT, .style = &pretty},
};

/* The member of struct jfr_request that an option sets. */
static const struct field {
    int id;
    enum { TEXT, COUNT, POSITIVE, SIZE, FLAG, CLOCK, SIDE, STYLE } kind;
    size_t at; /* offset in struct jfr_request */
    const struct jfr_print_style *style;
} fields[] = {
#define FIELD(id, kind, member)                                                                    \
    {                                                                                              \
        id, kind, offsetof(struct jfr_request, member), NULL                                       \
    }
    FIELD(JFR_OPT_EVENTS, TEXT, print.filter.events),
    FIELD(JFR_OPT_CATEGORIES, TEXT, print.filter.categories),
    FIELD(JFR_OPT_STACK_DEPTH, COUNT, print.stack_depth),
    {JFR_OPT_JSON, STYLE, offsetof(struct jfr_request, print.style), &json},
    {JFR_OPT_XML, STYLE, offsetof(struct jfr_request, print.style), &xml},
    FIELD(JFR_OPT_TIME, CLOCK, print.clock),
    FIELD(JFR_OPT_EXACT, FLAG, print.is_exact),
    FIELD(JFR_OPT_SUM, TEXT, view.sum),
    FIELD(JFR_OPT_TOP, COUNT, view.top),
    FIELD(JFR_OPT_WIDTH, POSITIVE, view.layout.width),
    FIELD(JFR_OPT_TRUNCATE, SIDE, view.layout.cuts_beginning),
    FIELD(JFR_OPT_CELL_HEIGHT, POSITIVE, view.layout.cell_height),
    FIELD(JFR_OPT_VERBOSE, FLAG, view.is_verbose),
    FIELD(JFR_OPT_JDK, TEXT, jdk),
    FIELD(JFR_OPT_DIFF, TEXT, diff),
    FIELD(JFR_OPT_FROM, TEXT, from),
    FIELD(JFR_OPT_TO, TEXT, to),
    FIELD(JFR_OPT_OUTPUT, TEXT, output),
    FIELD(JFR_OPT_REDACT, TEXT, cut.redact),
    FIELD(JFR_OPT_REDACT_KEY, TEXT, cut.redact_key),
    FIELD(JFR_OPT_MAX_CHUNKS, COUNT, split.chunks_max),
    FIELD(JFR_OPT_MAX_SIZE, SIZE, split.bytes_max),
    FIELD(JFR_OPT_INPUT, TEXT, configure.inputs),
    FIELD(JFR_OPT_VERBOSE, FLAG, configure.is_verbose),
#undef FIELD
};

/* The options that add a filter. */
static const struct cut_option {
    int id;
    enum jfr_cut_about about;
    bool is_excluding;
} cut_options[] = {
    {JFR_OPT_EVENTS, JFR_CUT_EVENTS, false},
    {JFR_OPT_CATEGORIES, JFR_CUT_CATEGORIES, false},
    {JFR_OPT_THREAD, JFR_CUT_THREADS, false},
    {JFR_OPT_INCLUDE_EVENTS, JFR_CUT_EVENTS, false},
    {JFR_OPT_EXCLUDE_EVENTS, JFR_CUT_EVENTS, true},
    {JFR_OPT_INCLUDE_CATEGORIES, JFR_CUT_CATEGORIES, false},
    {JFR_OPT_EXCLUDE_CATEGORIES, JFR_CUT_CATEGORIES, true},
    {JFR_OPT_INCLUDE_THREADS, JFR_CUT_THREADS, false},
    {JFR_OPT_EXCLUDE_THREADS, JFR_CUT_THREADS, true},
};

static int take_cut_filter(struct jfr_request *r, int id, const char *value)
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

static const char *name_of(int id)
{
    const struct opt *o = jfr_request_options;
    while (o->id != id)
        o++;
    return o->name;
}

/* Stores options of a view that may be given several times. */
static int take_again(struct jfr_request *r, int id, const char *value)
{
    struct jfr_where_set *where = &r->view.where;
    if ((id == JFR_OPT_WHERE && where->count == JFR_WHERE_MAX) ||
        (id == JFR_OPT_GROUP_BY && r->view.key_count == JFR_VIEW_KEYS)) {
        say("jfr: more than %d times --%s", id == JFR_OPT_WHERE ? JFR_WHERE_MAX : JFR_VIEW_KEYS,
            name_of(id));
        return E_SYNTAX;
    }
    if (id == JFR_OPT_WHERE)
        where->of[where->count++] = value;
    if (id == JFR_OPT_GROUP_BY)
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

static int take_positive(const struct jfr_request *r, int id, const char *value, uint32_t *ret)
{
    int error = values_count(r->self, name_of(id), value, JFR_REQUEST_COUNT_MAX, ret);
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

static int take_field(struct jfr_request *r, const struct field *f, const char *value)
{
    void *at = (char *)r + f->at;
    switch (f->kind) {
    case TEXT:
        *(const char **)at = value;
        return 0;
    case COUNT:
        return values_count(r->self, name_of(f->id), value, JFR_REQUEST_COUNT_MAX, at);
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
        *(const struct jfr_print_style **)at = f->style;
        return 0;
    }
    return E_SYNTAX;
}

int jfr_request_take(struct jfr_request *r, int id, const char *value)
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
    r->given |= JFR_REQUEST_BIT(id);
    error = take_cut_filter(r, id, value);
    if (!error)
        error = take_again(r, id, value);
    for (size_t i = 0; !error && i < sizeof(fields) / sizeof(fields[0]); i++)
        if (fields[i].id == id)
            error = take_field(r, &fields[i], value);
    return error;
}

int jfr_request_context(struct jfr_request *r)
{
    if (!(r->given & JFR_REQUEST_BIT(JFR_OPT_CONTEXT)))
        return 0;
    if (r->print.style == &xml) {
        say("jfr: --context: XML does not have it; take --json, or text, which has it anyway");
        return E_SYNTAX;
    }
    if (r->print.style == &json)
        r->print.style = &json_context;
    return 0;
}

/* Parses --from and --to. */
int jfr_request_range(const struct jfr_request *r, struct window *range)
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
