/*
 * options_parse.c - the grammar of the option string: see options_parse.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "kind/kind.h"
#include "options/options_ask.h"
#include "options/options_format.h"
#include "options/options_group.h"
#include "options/options_name.h"
#include "options/options_settings.h"
#include "safe/clock.h"

enum {
    LOOP_MIN_NS = NS_PER_S, /* %t in a file name has whole seconds */
    /* the original's buffer: a name of 16 characters or more is a syntax error */
    NAME_SIZE = 16
};

/* The default: heap=all is measured if the options ask for nothing. */
static const char default_option[] = "heap", default_word[] = "all";

static const struct options_row *row_in(const struct options_row *rows, const char *name)
{
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

/* The row with this name. *ret_place is the index of its group; -1: it has none. */
static const struct options_row *find_row(const char *name, int *ret_place)
{
    const struct options_row *row = row_in(options_general_rows, name);
    *ret_place = -1;
    for (int i = 0; !row && options_group_all[i]; i++) {
        row = row_in(options_group_all[i]->rows, name);
        *ret_place = i;
    }
    return row;
}

const struct options_row *options_parse_row(const char *name,
                                            const struct options_group **ret_group)
{
    int place;
    const struct options_row *row = find_row(name, &place);
    *ret_group = row && place >= 0 ? options_group_all[place] : NULL;
    return row;
}

static int fail(struct options_error *e, const char *text)
{
    snprintf(e->text, sizeof(e->text), "%s", text);
    return E_SYNTAX;
}

static int set_option(struct options *o, const char *name, const char *value,
                      struct options_error *e)
{
    int place, error;
    const struct options_row *row = find_row(name, &place);
    o->said.settings |= strchr(name, '#') || (row && row->kind == OPTIONS_ROW_SETTINGS);
    if (strchr(name, '#'))
        return options_settings_set(o, name, value, e);
    if (!row) {
        snprintf(e->text, sizeof(e->text), "Unknown option: %s", name);
        return E_SYNTAX;
    }
    if (row->kind == OPTIONS_ROW_ASK)
        return options_ask_one(o->own, row, value, e->text, sizeof(e->text));
    if (row->kind == OPTIONS_ROW_ASKS)
        return options_ask_some(o->own, row, value, e->text, sizeof(e->text));
    if (row->kind == OPTIONS_ROW_SETTINGS && value[0])
        return options_settings_load(o, value, e);
    error = options_row_set(row, place < 0 ? (void *)o : options_group_at(o->own, place), value,
                            e->text, sizeof(e->text));
    if (!error && place >= 0)
        options_group_ask_with(o->own, place, name);
    return error;
}

/*
 * The length of a value: up to the next comma. The host of net= may contain commas, up to its
 * colon. The names of event= may be separated by commas, as async-profiler's users write them; they
 * end at the next "name=".
 */
static size_t value_length(const char *name, const char *value)
{
    size_t len = strcmp(name, "net") == 0 ? strcspn(value, ":") : 0;
    len += strcspn(value + len, ",");
    if (strcmp(name, "event") == 0) {
        while (value[len] == ',' && value[len + 1] && value[len + 1] != ',') {
            size_t more = strcspn(value + len + 1, ",=");
            if (value[len + 1 + more] == '=')
                break;
            len += 1 + more;
        }
    }
    return len;
}

/* Reads `name=value` at *at and moves *at behind it and its comma. A value that is too long counts
 * as empty. */
static int parse_one(struct options *o, const char **at, struct options_error *e)
{
    static const char general[] = "general syntax error parsing options";
    char name[OPTIONS_SETTINGS_NAME], value[OPTIONS_VALUE + 1] = "";
    const char *p = *at;
    size_t name_len = strcspn(p, "="), value_len = 0;
    size_t size = memchr(p, '#', name_len) ? sizeof(name) : NAME_SIZE;
    if (name_len == 0 || name_len >= size)
        return fail(e, general);
    memcpy(name, p, name_len);
    name[name_len] = '\0';
    p += name_len;
    if (*p == '=') {
        p++;
        value_len = value_length(name, p);
        if (value_len <= OPTIONS_VALUE) {
            memcpy(value, p, value_len);
            value[value_len] = '\0';
        }
        p += value_len;
        if (*p == ',')
            p++;
    }
    *at = p;
    return set_option(o, name, value, e);
}

/* Appends `text` to a text of `size` bytes, as much of it as there is room for. */
static void append(char *to, size_t size, const char *text)
{
    size_t len = strlen(to);
    snprintf(to + len, size - len, "%s", text);
}

/* The words that ask for a group, by the option of its first word: "cpu=times|old". */
static void put_words(const struct options_group *g, char *to, size_t size)
{
    const struct options_ask *first = g->asks;
    if (g->take_word) {
        snprintf(to, size, "%s (and its like)", g->asked_by);
        return;
    }
    snprintf(to, size, "%s=%s", first->option, first->word);
    for (const struct options_ask *ask = first + 1; ask->option; ask++) {
        if (strcmp(ask->option, first->option) != 0 || ask->is_hidden || ask->value == 0)
            continue;
        append(to, size, "|");
        append(to, size, ask->word);
    }
}

static int refuse_format(const struct options_group *g, const struct options_format *f,
                         struct options_error *e)
{
    char words[OPTIONS_VALUE];
    put_words(g, words, sizeof(words));
    if (g->of_format) {
        const struct options_format *its = options_format_of(g->of_format);
        snprintf(e->text, sizeof(e->text), "%.256s is for %s: file=x%s", words, its->title,
                 its->suffix);
    } else {
        snprintf(e->text, sizeof(e->text), "%.256s is not supported with format=%s", words,
                 f->word);
    }
    return E_SYNTAX;
}

/* Whether files of the format cannot hold what the group makes. */
static bool is_refused(const struct options_group *g, const struct options_format *f)
{
    return (g->of_format && g->of_format != f->letter) ||
           (f->kinds != KIND_SET_ANY_ONE && g->kinds & ~f->kinds);
}

/* The groups are checked from last to first, because the original complains about times before
 * monitors. */
static int check_groups(const struct options *o, const struct options_format *f,
                        struct options_error *e)
{
    int last = 0;
    while (options_group_all[last])
        last++;
    for (int i = last - 1; i >= 0; i--) {
        const struct options_group *g = options_group_all[i];
        if (!options_group_wanted(o, g))
            continue;
        if (g->not_beside && options_group_count(o, OPTIONS_MARK_ASKED) > 1)
            return fail(e, g->not_beside);
        if (is_refused(g, f))
            return refuse_format(g, f, e);
    }
    return 0;
}

static int check_conflicts(const struct options *o, struct options_error *e)
{
    const struct options_format *f = options_format_of(o->format);
    int error = check_groups(o, f, e);
    if (error)
        return error;
    if (options_group_count(o, OPTIONS_MARK_SITES) > 1)
        return fail(e,
                    "event=alloc and heap=sites count the same in two ways: ask for one of them");
    if (options_group_count(o, OPTIONS_MARK_ENTERS) > 1)
        return fail(e, "monitor= and event=lock have one table, MONITOR TIME: use one of them, or "
                       "two recordings");
    if (o->format != 'b' && options_group_marks(o) & OPTIONS_MARK_RENAMED)
        return fail(e, "redact-names=y is for binary files: format=b");
    if (!f->has_objects && options_group_marks(o) & OPTIONS_MARK_OBJECTS) {
        snprintf(e->text, sizeof(e->text), "heap=dump is not supported with format=%s", f->word);
        return E_SYNTAX;
    }
    return 0;
}

char *options_parse_join(const char *line, const char *environment)
{
    size_t line_len = line ? strlen(line) : 0,
           environment_len = environment ? strlen(environment) : 0;
    char *whole = malloc(line_len + environment_len + 2), *at = whole;
    if (!whole)
        return NULL;
    if (line_len)
        at = mempcpy(at, line, line_len);
    if (line_len && environment_len)
        *at++ = ',';
    if (environment_len)
        at = mempcpy(at, environment, environment_len);
    *at = '\0';
    return whole;
}

static bool has_suffix(const char *file, const char *suffix)
{
    size_t len = strlen(file), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(file + len - suffix_len, suffix) == 0;
}

char options_parse_format(const char *file)
{
    const struct options_format *f = options_format_of_file(file);
    return f ? f->letter : '\0';
}

/* Whether the file name looks like a format that only the command can make, from another file. */
static bool is_of_others(const char *file)
{
    static const char *const suffixes[] = {".pb", ".pprof", ".json", ".otlp", ".gz"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (has_suffix(file, suffixes[i]))
            return true;
    return false;
}

/* Chooses the format by the file name if there is no format=. */
static void choose_format(struct options *o, struct options_error *e)
{
    char format = o->said.format ? '\0' : options_parse_format(o->file);
    if (format)
        o->format = format;
    if (!o->said.format && !o->net.host[0] && is_of_others(o->file) && !e->note[0])
        snprintf(e->note, sizeof(e->note),
                 "file=%.200s: HPROF text is written there; 'hprof report' makes other formats of "
                 "it, 'hprof run -o' at once",
                 o->file);
    if (!o->said.depth && options_format_of(o->format)->is_drawn)
        o->depth = OPTIONS_DEPTH_WHOLE;
}

/* Whether heap=all must be added. Triggers alone need it only if they do something with a
 * recording. */
static bool needs_default(const struct options *o)
{
    unsigned marks = options_group_marks(o);
    return options_group_count(o, OPTIONS_MARK_ASKED) == 0 &&
           (!(marks & OPTIONS_MARK_WATCHES) ||
            (marks & (OPTIONS_MARK_WAITS | OPTIONS_MARK_STEERED)));
}

/* Why a recording cannot begin new files (loop=); NULL: it can, or loop= is not given. */
static const char *refuse_loop(const struct options *o)
{
    unsigned marks = options_group_marks(o);
    if (!o->ends.loop_ns)
        return o->ends.keep ? "keep= is for the files of loop=, as in loop=1h,keep=24" : NULL;
    if (o->ends.loop_ns < LOOP_MIN_NS)
        return "loop= is a time of 1s at least";
    if (o->net.host[0])
        return "loop= is for files: net= has one connection";
    if (o->ends.duration_ns)
        return "loop= goes on until it is told to stop: leave duration= or loop= out";
    if (marks & (OPTIONS_MARK_WATCHES | OPTIONS_MARK_WAITS | OPTIONS_MARK_STEERED))
        return "loop= and triggers are for two recordings: leave one of them out";
    if (!options_name_turns(o->file))
        return "loop= needs %t or %n in file=, as in file=app-%t.jfr; %n{MAX} begins with 2";
    return NULL;
}

static int check_loop(struct options *o, struct options_error *e)
{
    const char *why = refuse_loop(o);
    o->expand |= o->ends.loop_ns > 0;
    return why ? fail(e, why) : 0;
}

static int parse_whole(struct options *o, const char *whole, struct options_error *e)
{
    int error = 0;
    for (const char *at = whole; *at && !error;)
        error = parse_one(o, &at, e);
    choose_format(o, e);
    options_group_settle(o->own, o->format);
    if (error)
        return error;
    if (options_group_count(o, OPTIONS_MARK_ASKED) == 0 && o->said.settings)
        return fail(e, "the settings turn on no event that is measured here");
    if (needs_default(o)) {
        options_group_ask(o->own, default_option, default_word, false);
        options_group_settle(o->own, o->format);
    }
    error = check_loop(o, e);
    return error ? error : check_conflicts(o, e);
}

int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error)
{
    char *whole;
    int error;
    *ret = options_general_defaults;
    ret_error->text[0] = ret_error->note[0] = '\0';
    if (line && strcmp(line, "help") == 0) {
        ret->said.help = true;
        return 0;
    }
    whole = options_parse_join(line, environment);
    ret->own = options_group_new();
    if (whole && ret->own)
        error = parse_whole(ret, whole, ret_error);
    else
        error = fail(ret_error, "no memory for the options");
    free(whole);
    return error;
}

static int check_rows(const struct options_row *row, const void *own, struct options_error *e)
{
    int error = 0;
    for (; row && row->name && !error; row++)
        if (row->kind == OPTIONS_ROW_WORD_OF)
            error = options_row_check(row, (const char *)own + row->at, e->text, sizeof(e->text));
    return error;
}

int options_parse_check_names(const struct options *o, struct options_error *ret_error)
{
    int error = check_rows(options_general_rows, o, ret_error);
    for (int i = 0; options_group_all[i] && !error; i++)
        error = check_rows(options_group_all[i]->rows, options_group_own(o, options_group_all[i]),
                           ret_error);
    return error;
}

/* ---- options without effect */

/* The options, their marks, and how far `ret` is filled. */
struct idle {
    const struct options *o;
    unsigned marks;
    struct options_parse_idle *ret;
    int count, max;
};

/* Whether one of the words that ask for the group gives it one of the marks. */
static bool can_have(const struct options_group *g, unsigned marks)
{
    for (const struct options_ask *ask = g->asks; g->marks && ask && ask->option; ask++)
        if (g->marks(ask->value, g->defaults) & marks)
            return true;
    return false;
}

/* Writes what asks for the groups that have one of the marks: "heap=dump or heap=histo". */
static void put_needed(unsigned marks, char text[OPTIONS_PARSE_NEEDED])
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; options_group_all[i]; i++) {
        const char *asked_by = options_group_all[i]->asked_by;
        if (asked_by && can_have(options_group_all[i], marks) && n < OPTIONS_PARSE_NEEDED)
            n += (size_t)snprintf(text + n, OPTIONS_PARSE_NEEDED - n, "%s%s", n ? " or " : "",
                                  asked_by);
    }
}

static void look_at(struct idle *idle, const struct options_row *rows,
                    const struct options_group *group, const void *own, const void *defaults)
{
    for (const struct options_row *row = rows; row && row->name; row++) {
        /* A group without words serves groups that have some. */
        unsigned marks = row->acts_with ? row->acts_with : group ? group->serves : 0;
        const char *needed = group ? group->asked_by : NULL;
        bool acts = row->acts_with ? (idle->marks & row->acts_with) != 0
                                   : group && options_group_wanted(idle->o, group);

        if (row->part != OPTIONS_ROW_NEW || !(needed || marks) || acts ||
            idle->count == idle->max || !options_row_is_given(row, own, defaults))
            continue;
        struct options_parse_idle *found = &idle->ret[idle->count++];

        found->name = row->name;
        if (needed)
            snprintf(found->needed, sizeof(found->needed), "%s", needed);
        else
            put_needed(marks, found->needed);
    }
}

/* An engine that allows no other beside it is used by a program, which knows what its options
 * do. */
static bool is_alone(const struct options *o)
{
    for (int i = 0; options_group_all[i]; i++)
        if (options_group_all[i]->not_beside && options_group_wanted(o, options_group_all[i]))
            return true;
    return false;
}

int options_parse_idle(const struct options *o, struct options_parse_idle *ret, int max)
{
    struct idle idle = {.o = o, .marks = options_group_marks(o), .ret = ret, .max = max};
    if (is_alone(o))
        return 0;
    for (int i = 0; options_group_all[i]; i++) {
        const struct options_group *g = options_group_all[i];
        look_at(&idle, g->rows, g, options_group_own(o, g), g->defaults);
    }
    look_at(&idle, options_general_rows, NULL, o, &options_general_defaults);
    return idle.count;
}
