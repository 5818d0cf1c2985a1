/*
 * jfr_view.c - prints tables of the events of a JFR file that the user describes.
 *
 * A condition or a key may name a field of an event that is around other events. Such an event is
 * written when it ends, after the events that it encloses. So the file is read twice: first for
 * these events.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/tabular.h"
#include "jfrtool/jfr_units.h"
#include "jfr/jfr_around.h"
#include "jfrtool/jfr_column.h"
#include "jfrtool/jfr_datum.h"
#include "jfrtool/jfr_named.h"
#include "jfrtool/jfr_order.h"
#include "jfr/jfr_place.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_query.h"
#include "jfrtool/jfr_table.h"
#include "jfrtool/keyset.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"

enum { TOP = 20, EVENTS = 2048, ROOM_MIN = 512 };

/* ---- groups of events */

struct group {
    const char *name;
    uint64_t count;
    uint64_t valued;  /* events that have a value */
    double sum, most; /* sum and largest of these values */
};

/* Counts and sums of groups of events; a text names the group. */
struct groups {
    struct keyset names;
    struct group *rows; /* by the numbers of their names, until they are sorted */
    size_t count, room;
    uint64_t total_count;
    double total_sum;
    int error; /* 0 or -ENOMEM */
};

static void init_groups(struct groups *g)
{
    *g = (struct groups){0};
    keyset_init(&g->names);
}

/* Finds the row of a name, or makes it. NULL: no memory. */
static struct group *find_group(struct groups *g, const char *name, size_t len)
{
    uint32_t number = keyset_number(&g->names, name, len);
    if (number > g->room) {
        size_t room = g->room > 0 ? g->room * 2 : ROOM_MIN;
        struct group *rows = reallocarray(g->rows, room, sizeof(*rows));
        if (rows) {
            g->rows = rows;
            g->room = room;
        }
    }
    if (number == 0 || number > g->room) {
        g->error = -ENOMEM;
        return NULL;
    }
    if (number > g->count)
        g->rows[g->count++] = (struct group){.name = keyset_at(&g->names, number)};
    return &g->rows[number - 1];
}

/* Adds one event to the group of this name; `value` NAN: the event has no value. */
static void count_in_group(struct groups *g, const char *name, size_t len, double value)
{
    struct group *row = find_group(g, name, len);
    if (!row)
        return;
    row->count++;
    g->total_count++;
    if (isnan(value))
        return;
    row->most = row->valued == 0 || value > row->most ? value : row->most;
    row->valued++;
    row->sum += value;
    g->total_sum += value;
}

static int compare_counts(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->count != y->count)
        return (x->count < y->count) - (x->count > y->count);
    return strcmp(x->name, y->name);
}

static int compare_sums(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->sum < y->sum || x->sum > y->sum)
        return (x->sum < y->sum) - (x->sum > y->sum);
    return compare_counts(a, b);
}

/* Sorts the rows by their sums or counts, the largest first, and equal rows by name. Nothing may be
 * added after this. */
static void sort_groups(struct groups *g, bool by_sum)
{
    if (g->count > 0)
        qsort(g->rows, g->count, sizeof(*g->rows), by_sum ? compare_sums : compare_counts);
}

static void free_groups(struct groups *g)
{
    free(g->rows);
    keyset_done(&g->names);
}

/* ---- the events, and the fields of events around them */

/* A condition or a key, which may name a field of events around others. */
struct around {
    char path[JFR_COLUMN_TEXT]; /* for example "tracer.user"; empty: it cannot name such a field */
    bool is_there;              /* a type in the file has the field */
    bool is_met;                /* an event had the field */
    struct jfr_around spans;
};

struct run {
    const struct jfrtool_view *view;
    const char *title, *sum;
    char group[JFRTOOL_KEYS * JFR_COLUMN_TEXT]; /* the keys, separated by commas; empty: none */
    struct jfr_filter filter;
    struct around keys[JFRTOOL_KEYS], where[JFR_WHERE_MAX];
    /* The JVM of the chunk. It is added to the numbers of threads, which are unique only within one
     * JVM. */
    uint64_t jvm;
    struct groups groups;
    struct jfr_printer out;
    struct jfr_units unit;
    uint64_t seen;  /* number of events of the wanted types */
    uint64_t taken; /* number of these events for which --where is true */
    bool has_sum;   /* an event had the field of --sum */
    uint32_t top;
    struct window range;
    struct jfr_table table; /* used if there is no group */
};

/* Writes the text of a value at the end of the printer's text; the caller removes it. Returns its
 * length. */
static size_t text_of(struct run *r, const struct jfr_value *value)
{
    size_t start = r->out.text.len;
    jfr_pretty_cell(&r->out, value);
    return r->out.text.is_bad ? 0 : r->out.text.len - start;
}

static void add_around(struct run *r, struct around *a, const struct jfr_type *type,
                       const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    const char *field = a->is_there ? jfr_filter_field(type, a->path) : NULL;
    size_t before = r->out.text.len;
    struct jfr_value value;
    struct jfr_place place;
    if (!field || !jfr_value_named(r->out.chunk, &event, field, &value) ||
        !jfr_place_of(r->out.chunk, r->jvm, &event, &place))
        return;
    size_t len = text_of(r, &value);
    jfr_around_add(&a->spans, place.thread, place.start_ns, place.end_ns,
                   r->out.text.bytes + before, len);
    r->out.text.len = before;
}

/* The value of the field in the event around; NULL: there is none. */
static const char *find_around(const struct run *r, const struct around *a,
                               const struct jfr_value *event)
{
    return jfr_place_around(r->out.chunk, r->jvm, event, &a->spans);
}

/* Finds the first field that the event has, of fields separated by "|". */
static bool has_field(const struct run *r, const struct jfr_value *event, const char *fields,
                      struct jfr_value *ret_value)
{
    char name[JFR_COLUMN_TEXT];
    while (jfr_column_next(&fields, '|', name))
        if (jfr_value_named(r->out.chunk, event, name, ret_value))
            return true;
    return false;
}

/* Writes one key of the group of an event. */
static void put_key(struct run *r, uint32_t number, const struct jfr_type *type,
                    const struct jfr_value *event)
{
    const char *field = r->view->keys[number];
    struct around *a = &r->keys[number];
    struct jfr_value value;
    if (number > 0)
        textbuf_text(&r->out.text, ", ");
    if (a->is_there) {
        const char *around = find_around(r, a, event);
        a->is_met = true;
        textbuf_text(&r->out.text, around ? around : "(none)");
    } else if (strcmp(field, "event") == 0) {
        a->is_met = true;
        textbuf_text(&r->out.text, type->name);
    } else {
        a->is_met |= jfr_value_named(r->out.chunk, event, field, &value);
        text_of(r, &value);
    }
}

/* The number of the event's field for --sum; NAN: N/A. Errors: 0; E_SYNTAX after saying why. */
static int amount_of(struct run *r, const struct jfr_value *event, double *ret_amount)
{
    struct jfr_value value;
    *ret_amount = NAN;
    if (!r->sum || !has_field(r, event, r->sum, &value))
        return 0;
    r->has_sum = true;
    if (jfr_units_number(r->out.chunk, &value, ret_amount))
        r->unit = jfr_units_of(&value);
    if (value.shape == JFR_NUMBER || value.shape == JFR_REAL || value.shape == JFR_NULL)
        return 0;
    say("jfr: --sum '%s': that is no number", r->sum);
    return E_SYNTAX;
}

static int add_group(struct run *r, const struct jfr_type *type, const struct jfr_value *event)
{
    size_t before = r->out.text.len;
    double amount;
    int code = amount_of(r, event, &amount);
    for (uint32_t i = 0; i < r->view->key_count; i++)
        put_key(r, i, type, event);
    if (!r->out.text.is_bad && code == 0)
        count_in_group(&r->groups, r->out.text.bytes + before, r->out.text.len - before, amount);
    r->out.text.len = before;
    return code < 0 ? code : r->groups.error;
}

/* Whether a condition is true: 1 or 0; E_SYNTAX after saying why. */
static int check_condition(struct run *r, uint32_t number, const struct jfr_value *event)
{
    const char *condition = r->view->where.of[number];
    struct around *a = &r->where[number];
    /* If no event around can have the field, one event with the field is enough. */
    bool is_asked = a->is_there || !a->is_met;
    bool is_own = is_asked && jfr_where_has_field(condition, &r->out, event);

    a->is_met |= is_own || a->is_there;
    if (!is_own && a->is_there)
        return jfr_where_holds_for(condition, find_around(r, a, event));
    return jfr_where_check(condition, &r->out, event);
}

static int take_event(void *context, const struct jfr_type *type, const struct jfr_record *record)
{
    struct run *r = context;
    const struct jfr_value event = jfr_value_event(type, record);

    int fits = 1;

    r->seen++;
    for (uint32_t i = 0; i < r->view->where.count; i++) {
        int each = check_condition(r, i, &event);
        if (each < 0)
            return each;
        fits &= each;
    }
    if (!fits)
        return 0;
    r->taken++;
    if (r->view->key_count > 0)
        return add_group(r, type, &event);
    jfr_table_add(&r->table, &r->out, type, &event, r->top);
    return 0;
}

/* The condition or key with this number: first all conditions, then all keys; NULL after the
 * last. */
static struct around *around_at(struct run *r, uint32_t number)
{
    uint32_t count = r->view->where.count;
    if (number < count)
        return &r->where[number];
    return number - count < r->view->key_count ? &r->keys[number - count] : NULL;
}

static int take_around(void *context, const struct jfr_type *type, const struct jfr_record *record)
{
    struct run *r = context;
    for (uint32_t i = 0; around_at(r, i); i++) {
        add_around(r, around_at(r, i), type, record);
        if (around_at(r, i)->spans.error)
            return around_at(r, i)->spans.error;
    }
    return 0;
}

/* Whether a type has the first field of a path. A type of events around may be declared although no
 * such event comes. */
static bool declares(const struct jfr_type *type, const char *path)
{
    size_t len = path ? strcspn(path, ".") : 0;
    for (uint32_t i = 0; path && i < type->field_count; i++)
        if (strncmp(type->fields[i].name, path, len) == 0 && type->fields[i].name[len] == '\0')
            return true;
    return false;
}

static void look_for(struct around *a, const struct jfr_metadata *m)
{
    for (uint32_t i = 0; i < m->type_count && a->path[0] != '\0' && !a->is_there; i++)
        a->is_there = declares(&m->types[i], jfr_filter_field(&m->types[i], a->path));
}

static bool asks_around(struct run *r)
{
    for (uint32_t i = 0; around_at(r, i); i++)
        if (around_at(r, i)->path[0] != '\0')
            return true;
    return false;
}

static void begin_chunk(void *context, const struct jfr_chunk *chunk)
{
    struct run *r = context;
    r->jvm = asks_around(r) ? jfr_place_jvm(chunk) : 0;
    for (uint32_t i = 0; around_at(r, i); i++)
        look_for(around_at(r, i), &chunk->metadata);
}

/* Reads the file once; `is_around`: only for events around others. */
static int pass(struct run *r, const char *path, bool is_around)
{
    const struct jfr_order_pass all = {.path = path,
                                       .filter = is_around ? (struct jfr_filter){0} : r->filter,
                                       .out = &r->out,
                                       .is_quiet = is_around,
                                       .range = is_around ? NULL : &r->range,
                                       .context = r,
                                       .begin = begin_chunk,
                                       .event = is_around ? take_around : take_event};
    return jfr_order_run(&all);
}

/* ---- the table */

/* Writes an amount into a column of `width`, aligned to the right, with at least one blank before
 * it. */
static void put_column(struct run *r, double amount, size_t width)
{
    struct textbuf *t = &r->out.text;
    size_t start = t->len;
    jfr_units_put(t, r->unit, amount);
    size_t len = t->len - start, blanks = len < width ? width - len : 1;
    textbuf_fill(t, ' ', blanks);
    if (!t->is_bad) {
        memmove(t->bytes + start + blanks, t->bytes + start, len);
        memset(t->bytes + start, ' ', blanks);
    }
}

/* Writes the key of a group, which begins after `indent` characters. */
static void put_name(struct run *r, const char *name, size_t indent)
{
    const struct jfr_fit *l = &r->view->layout;
    if (l->width > 0) {
        jfr_fit_text(l, &r->out, name, l->width > indent ? l->width - indent : 0,
                     l->cell_height > 0 ? l->cell_height : 1, indent);
        return;
    }
    jfr_printer_plain(&r->out, name, strlen(name));
    textbuf_char(&r->out.text, '\n');
}

static double share_of(const struct run *r, const struct group *row)
{
    double part = r->sum ? row->sum : (double)row->count,
           whole = r->sum ? r->groups.total_sum : (double)r->groups.total_count;
    return whole > 0 ? part / whole : 0;
}

/* Fills the table of data with the groups. */
static void fill(const struct run *r, struct tabular *t)
{
    const struct groups *g = &r->groups;
    t->name = r->view->name;
    tabular_columns(t, r->sum ? "count share sum mean most" : "count share");
    tabular_column(t, r->group);
    for (size_t i = 0; i < g->count; i++) {
        const struct group *row = &g->rows[i];
        bool has_any = row->valued > 0;
        tabular_unsigned(t, row->count);
        tabular_real(t, share_of(r, row));
        if (r->sum) {
            jfr_datum_number(t, has_any ? row->sum : NAN);
            jfr_datum_number(t, has_any ? row->sum / (double)row->valued : NAN);
            jfr_datum_number(t, has_any ? row->most : NAN);
        }
        tabular_text(t, row->name);
    }
}

static void put_groups(struct run *r, const struct tabular *data)
{
    enum { WIDTH = 13 };
    struct textbuf *t = &r->out.text;
    struct groups *g = &r->groups;
    textbuf_printf(t, "%10s%9s", "count", "share");
    if (r->sum)
        textbuf_printf(t, "%*s%*s%*s", WIDTH, "sum", WIDTH, "mean", WIDTH, "most");
    textbuf_printf(t, "  %s\n", r->group);
    for (size_t i = 0; i < g->count && i < r->top; i++) {
        const struct group *row = &g->rows[tabular_at(data, i)];
        size_t start = t->len;
        textbuf_printf(t, "%10" PRIu64 " %7.2f%%", row->count, 100 * share_of(r, row));
        if (r->sum) {
            bool has_any = row->valued > 0;
            put_column(r, has_any ? row->sum : NAN, WIDTH);
            put_column(r, has_any ? row->sum / (double)row->valued : NAN, WIDTH);
            put_column(r, has_any ? row->most : NAN, WIDTH);
        }
        textbuf_text(t, "  ");
        put_name(r, row->name, t->len - start);
    }
}

/* Says which field of --group-by or --sum no event has. Returns whether there is such a field. */
static bool misses_field(const struct run *r, const char *path)
{
    const char *field = r->view->key_count > 0 && r->view->sum && !r->has_sum ? r->view->sum : NULL;
    for (uint32_t i = r->view->key_count; i-- > 0;)
        if (!r->keys[i].is_met)
            field = r->view->keys[i];
    if (field)
        say("%s: no event '%s' has a field '%s', nor has one around it; 'hprof jfr "
            "metadata --events NAME' lists those of an event",
            path, r->filter.events, field);
    return field != NULL;
}

/* Says what the user asked for and the file does not have. Returns whether there is such a
 * thing. */
static bool misses(const struct run *r, const char *path)
{
    const struct jfr_where_set *where = &r->view->where;
    char words[JFR_WHERE_WORDS];
    for (uint32_t i = 0; i < where->count; i++)
        if (!r->where[i].is_met) {
            say("%s: no event '%s' has the field of --where '%s'; 'hprof jfr metadata --events "
                "NAME' lists those of an event",
                path, r->filter.events, where->of[i]);
            return true;
        }
    if (r->taken > 0)
        return misses_field(r, path);
    jfr_where_words(where, words);
    say("%s: no event '%s' fits %s", path, r->filter.events, words);
    return true;
}

/* Reads the file for events around others. */
static int find_all_around(struct run *r, const char *path)
{
    int code = pass(r, path, true);
    for (uint32_t i = 0; around_at(r, i); i++)
        jfr_around_sort(&around_at(r, i)->spans);
    for (uint32_t i = 0; i < r->view->where.count && code == 0; i++)
        if (r->where[i].is_there && !jfr_where_is_equality(r->view->where.of[i])) {
            say("jfr: --where '%s': a field of the event around is compared with = or !=",
                r->view->where.of[i]);
            code = E_SYNTAX;
        }
    return code;
}

/* Prints the groups or the events, and gives them to the table of data. Returns 1 if text was
 * printed, else 0. Errors: E_SYNTAX after saying that there is no column of that name. */
static int put_table(struct run *r, const char *group)
{
    struct tabular_out *out = r->view->out;
    struct tabular data = {0};
    bool is_text = true;
    int code = 1;
    if (group)
        sort_groups(&r->groups, r->sum != NULL);
    if (group && tabular_wants_rows(out->how)) {
        fill(r, &data);
        is_text = tabular_place(out, &data, r->top);
    } else if (!group) {
        is_text = jfr_table_place(&r->table, r->top);
    }
    if (is_text && tabular_check(out) < 0)
        code = E_SYNTAX;
    else if (is_text)
        textbuf_printf(&r->out.text, "%s\n\n", r->title);
    if (code > 0 && is_text && group)
        put_groups(r, &data);
    else if (code > 0 && is_text && jfr_table_put(&r->table, &r->out, r->top) < 0)
        r->groups.error = -ENOMEM;
    tabular_done(&data);
    return code > 0 ? is_text : code;
}

static int run_all(struct run *r, const char *path)
{
    int code = asks_around(r) ? find_all_around(r, path) : 0;
    const char *group = r->group[0] != '\0' ? r->group : NULL;
    if (code == 0)
        code = pass(r, path, false);
    if ((code < 0 && code != E_TRUNCATED) || r->seen == 0)
        return code;
    if (misses(r, path))
        return E_SYNTAX;
    int put = put_table(r, group);
    if (put < 0)
        return put;
    if (put > 0 && r->view->is_verbose)
        jfr_query_show_events(r->filter.events, group, r->sum, &r->view->where, r->top, &r->out);
    if (r->table.others > 0)
        say("%s: %" PRIu64 " event%s of other types than %s %s", path, r->table.others,
            plural_s(r->table.others), r->table.type,
            plural_of(r->table.others, "has a table of its own", "have tables of their own"));
    if (r->groups.error == 0 && !r->out.text.is_bad)
        return code;
    say("%s: %s", path, err_text(-ENOMEM));
    return -ENOMEM;
}

/* A path with a dot may begin with the name of an event around. */
static void note_path(struct around *a, const char *path)
{
    if (path && strchr(path, '.') && strlen(path) < sizeof(a->path))
        snprintf(a->path, sizeof(a->path), "%s", path);
}

static void note_paths(struct run *r)
{
    const struct jfrtool_view *view = r->view;
    char path[JFR_COLUMN_TEXT];
    size_t len = 0;
    for (uint32_t i = 0; i < view->where.count; i++)
        if (jfr_where_path(view->where.of[i], path, sizeof(path)))
            note_path(&r->where[i], path);
    for (uint32_t i = 0; i < view->key_count; i++) {
        note_path(&r->keys[i], view->keys[i]);
        if (len < sizeof(r->group))
            len += (size_t)snprintf(r->group + len, sizeof(r->group) - len, "%s%s",
                                    i > 0 ? ", " : "", view->keys[i]);
    }
}

/* Returns E_NOT_FOUND if the file has none of the events. Errors were reported. */
static int print(const struct jfrtool_view *view, const char *path)
{
    bool is_named = jfr_named_is(view->name);
    char events[EVENTS], sum[JFR_COLUMN_TEXT] = "";
    struct run r = {
        .view = view,
        .table = {.layout = &view->layout, .out = view->out},
        .range = view->range,
        .title = is_named ? jfr_named_title(view->name) : view->name,
        .filter = {.events = is_named ? events : view->name},
        .top = view->top > 0 ? view->top : TOP,
    };
    struct sink sink;
    int code = sink_init(&sink, STDOUT_FILENO);
    if (is_named) {
        jfr_named_events(view->name, events, sizeof(events));
        jfr_named_sum(view->name, sum, sizeof(sum));
    }
    r.sum = view->sum ? view->sum : sum[0] != '\0' ? sum : NULL;
    note_paths(&r);
    init_groups(&r.groups);
    if (code == 0)
        code = jfr_printer_init(&r.out, &sink, 1);
    if (code < 0)
        say("%s: %s", path, err_text(code));
    if (code == 0) {
        code = run_all(&r, path);
        if (code == 0 && r.seen == 0)
            code = E_NOT_FOUND;
        jfr_printer_done(&r.out);
    }
    for (uint32_t i = 0; around_at(&r, i); i++)
        jfr_around_done(&around_at(&r, i)->spans);
    free_groups(&r.groups);
    jfr_table_done(&r.table);
    int done = sink_done(&sink);
    if (code == E_NOT_FOUND && window_is_set(&view->range))
        say("%s: has no event '%s' between --from and --to", path, r.filter.events);
    else if (code == E_NOT_FOUND)
        say("%s: has no event '%s', and no view is called so; 'hprof jfr summary' shows what it "
            "has, 'hprof jfr view' lists the views",
            path, r.filter.events);
    return code == 0 ? done : code;
}

int jfr_view_print(const struct jfrtool_view *view, const char *path)
{
    if (jfr_named_is(view->name) && view->key_count == 0)
        return jfr_named_print(view, path);
    return print(view, path) == 0 ? CMD_OK : CMD_FAILED;
}
