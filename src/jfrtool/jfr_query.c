/*
 * jfr_query.c - see jfr_query.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_query.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/tabular.h"
#include "jfrtool/jfr_cell.h"
#include "jfrtool/jfr_datum.h"
#include "jfrtool/jfr_fit.h"
#include "jfrtool/jfr_path.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_where.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"

enum { ROOM_MIN = 32, WIDTH_MAX = 60, BASE = 10, FORM_LINES = 1000 };

void jfr_query_init(struct jfr_query *q, const struct jfr_query_named *named)
{
    *q = (struct jfr_query){.named = named};
    keyset_init(&q->keys);
    q->source_count = jfr_column_read_sources(named->from, q->sources);
    q->column_count = jfr_column_read(named->columns, q->sources, q->source_count, q->columns);
}

void jfr_query_done(struct jfr_query *q)
{
    for (size_t i = 0; i < q->count; i++) {
        for (uint32_t c = 0; c < q->column_count; c++)
            jfr_cell_done(&q->rows[i].cells[c]);
        free(q->rows[i].cells);
    }
    free(q->rows);
    free(q->wanted);
    keyset_done(&q->keys);
}

void jfr_query_begin_chunk(struct jfr_query *q, const struct jfr_chunk *chunk, uint64_t jvm)
{
    const struct jfr_metadata *m = &chunk->metadata;
    free(q->wanted);
    memset(q->places, 0, sizeof(q->places));
    q->jvm = jvm;
    q->wanted = calloc(m->type_count + (size_t)1, sizeof(*q->wanted));
    if (!q->wanted)
        q->error = -ENOMEM;
    for (uint32_t i = 0; i < m->type_count && q->wanted; i++)
        for (uint32_t s = 0; s < q->source_count && jfr_type_is_event(&m->types[i]); s++)
            if (jfr_filter_names(q->sources[s].events, m->types[i].name))
                q->wanted[m->types[i].number] |= 1u << s;
}

bool jfr_query_wants(const struct jfr_query *q, const struct jfr_type *type)
{
    return q->wanted && q->wanted[type->number] != 0;
}

static bool holds(const struct jfr_column_source *s, struct jfr_printer *o,
                  const struct jfr_value *event)
{
    const char *list = s->conditions;
    char condition[JFR_COLUMN_TEXT];
    while (jfr_column_next(&list, '&', condition))
        if (jfr_where_check(condition, o, event) <= 0)
            return false;
    return true;
}

/* The address of the key's value, if the key is one field and its value a constant. While the chunk
 * is open, an equal address means an equal row. NULL: the value has no such address. */
static const uint8_t *place_of(const struct jfr_query *q, const struct jfr_printer *o,
                               const struct jfr_type *type, const struct jfr_value *event)
{
    const char *group = q->named->group;
    struct jfr_value value;
    if (strcmp(group, "event") == 0)
        return (const uint8_t *)type->name;
    if (strpbrk(group, ",#@") || !jfr_path_find(o, type, event, group, &value))
        return NULL;
    return value.constant;
}

/* Writes the key at the end of the printer's text; the caller removes it. Returns its length;
 * SIZE_MAX: the event does not have the field, for example because an older JDK recorded it. */
static size_t put_key(const struct jfr_query *q, struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_value *event)
{
    const char *list = q->named->group;
    size_t start = o->text.len;
    char word[JFR_COLUMN_TEXT];
    struct jfr_value value;
    while (jfr_column_next(&list, ',', word)) {
        bool is_id = word[0] == '#';
        if (!jfr_path_find(o, type, event, word + is_id, &value))
            return SIZE_MAX;
        if (jfr_path_is_thread(&value)) {
            uint64_t id = jfr_path_has_name(o, &value) ? jfr_path_thread_id(o, &value) : 0;
            is_id = true;
            textbuf_bytes(&o->text, (const char *)&id, sizeof(id));
        }
        if (is_id)
            textbuf_bytes(&o->text, (const char *)&q->jvm, sizeof(q->jvm));
        if (value.shape != JFR_NULL)
            jfr_pretty_cell(o, &value);
        textbuf_char(&o->text, '\0');
    }
    return o->text.is_bad ? 0 : o->text.len - start;
}

static bool make_row(struct jfr_query *q)
{
    size_t room = q->count < q->room ? q->room : q->room > 0 ? q->room * 2 : ROOM_MIN;
    struct jfr_query_row *rows =
        room > q->room ? reallocarray(q->rows, room, sizeof(*rows)) : q->rows;
    struct jfr_cell *cells = calloc(q->column_count, sizeof(*cells));
    if (rows) {
        q->rows = rows;
        q->room = room;
    }
    if (!rows || !cells) {
        free(cells);
        return false;
    }
    q->rows[q->count++] = (struct jfr_query_row){.cells = cells};
    return true;
}

/* The row of a key; if `is_own` is set, always a new row. NULL: no memory. */
static struct jfr_query_row *row_of(struct jfr_query *q, const char *key, size_t len, bool is_own)
{
    size_t number = is_own ? q->count + 1 : keyset_number(&q->keys, key, len);
    if (number == 0 || (number > q->count && !make_row(q)))
        return NULL;
    return &q->rows[number - 1];
}

/* Whether each event is a row. */
static bool has_plain_rows(const struct jfr_query *q)
{
    for (uint32_t i = 0; i < q->column_count; i++)
        if (q->columns[i].sum != JFR_COLUMN_VALUE)
            return false;
    return q->named->group[0] == '\0' && !q->named->is_form;
}

/* Finds or makes the row of an event. NULL: the event belongs to no row, or there is no memory. */
static struct jfr_query_row *find_row(struct jfr_query *q, struct jfr_printer *o,
                                      const struct jfr_type *type, const struct jfr_value *event)
{
    const uint8_t *place = place_of(q, o, type, event);
    struct jfr_query_place *known = &q->places[((uintptr_t)place >> 2) % JFR_QUERY_PLACES];
    size_t before = o->text.len;
    if (place && known->place == place)
        return &q->rows[known->row];
    size_t len = put_key(q, o, type, event);
    struct jfr_query_row *row = NULL;

    if (len != SIZE_MAX) {
        row = o->text.is_bad ? NULL : row_of(q, o->text.bytes + before, len, has_plain_rows(q));
        q->error = row ? 0 : -ENOMEM;
    }
    o->text.len = before;
    if (row && place)
        *known = (struct jfr_query_place){place, (size_t)(row - q->rows)};
    return row;
}

static bool add_cell(struct jfr_query *q, struct jfr_query_row *row, uint32_t number,
                     struct jfr_printer *o, const struct jfr_type *type,
                     const struct jfr_value *event, const struct jfr_record *record)
{
    struct jfr_column *column = &q->columns[number];
    struct jfr_cell *cell = &row->cells[number];
    struct jfr_value value = {0};
    if (column->sum == JFR_COLUMN_VALUE && cell->text)
        return true;
    if (column->fields[0] != '\0' && !jfr_path_find(o, type, event, column->fields, &value))
        return true;
    int64_t end_ns = column->sum == JFR_COLUMN_BATCH ? jfr_path_end_ns(o, event) : 0;
    if (column->sum == JFR_COLUMN_BATCH && end_ns > column->batch_ns)
        column->batch_ns = end_ns;
    return jfr_cell_add(cell, column, o, &value, record, end_ns);
}

bool jfr_query_is_join(const struct jfr_query *q)
{
    return q->source_count > 1 && q->sources[0].letter && q->named->group[0] != '\0';
}

void jfr_query_add(struct jfr_query *q, struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_record *record, bool is_wanted)
{
    const struct jfr_value event = jfr_value_event(type, record);
    uint32_t sources = q->wanted[type->number];
    for (uint32_t s = 0; s < q->source_count; s++)
        if (sources & 1u << s && q->sources[s].conditions[0] != '\0' &&
            !holds(&q->sources[s], o, &event))
            sources &= ~(1u << s);
    if (sources == 0 || q->error < 0)
        return;
    struct jfr_query_row *row = find_row(q, o, type, &event);
    q->events += row && is_wanted ? 1 : 0;
    if (row)
        row->is_wanted |= is_wanted;
    for (uint32_t i = 0; row && i < q->column_count; i++)
        if ((q->columns[i].sources == 0 || q->columns[i].sources & sources) &&
            !add_cell(q, row, i, o, type, &event, record))
            q->error = -ENOMEM;
}

void jfr_query_end_chunk(struct jfr_query *q, struct jfr_printer *o)
{
    const struct jfr_chunk *c = o->chunk;
    struct jfr_record record;
    struct jfr_value value;
    for (size_t i = 0; i < q->count * q->column_count; i++) {
        const struct jfr_column *column = &q->columns[i % q->column_count];
        struct jfr_cell *cell = &q->rows[i / q->column_count].cells[i % q->column_count];
        if (!cell->record ||
            jfr_chunk_record(c->bytes, c->len, (size_t)(cell->record - c->bytes), &record) <= 0)
            continue;
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        const struct jfr_value event = jfr_value_event(type, &record);
        cell->record = NULL;
        if (jfr_path_find(o, type, &event, column->fields, &value) &&
            !jfr_cell_take(cell, o, &value))
            q->error = -ENOMEM;
    }
}

/* ---- the rows, sorted, as a table or a form */

struct line {
    const struct jfr_query *query;
    struct jfr_query_row *row;
    double *numbers; /* one for each column */
};

struct result {
    struct jfr_query *query;
    const struct jfr_fit *layout;
    struct line *lines;
    size_t count, shown;
    double *numbers;
    bool is_number[JFR_COLUMN_MAX];
    struct textbuf text; /* the headings, then the cells of the shown lines, each with NUL */
    size_t widths[JFR_COLUMN_MAX];
};

static bool was_in_last_batch(const struct jfr_query *q, const struct jfr_query_row *row)
{
    for (uint32_t i = 0; i < q->column_count; i++)
        if (q->columns[i].sum == JFR_COLUMN_BATCH && row->cells[i].events > 0 &&
            row->cells[i].last != q->columns[i].batch_ns)
            return false;
    return true;
}

static int compare_cells(const struct line *x, const struct line *y, uint32_t column,
                         bool is_downward)
{
    double l = x->numbers[column], r = y->numbers[column];
    const char *left = x->row->cells[column].text, *right = y->row->cells[column].text;
    int compared = l < r ? -1 : l > r;
    if (isnan(l) && isnan(r) && left && right)
        compared = strcmp(left, right);
    else if (isnan(l) || isnan(r))
        return isnan(l) - isnan(r);
    return is_downward ? -compared : compared;
}

/* Compares by an order such as "-2,+1". Equal rows stay in their order: this needs an explicit
 * comparison, because qsort() is not stable. */
static int compare(const void *left, const void *right)
{
    const struct line *x = left, *y = right;
    const char *order = x->query->named->order;
    while (*order != '\0') {
        char *end;
        unsigned long column = strtoul(order + 1, &end, BASE);
        int compared = compare_cells(x, y, (uint32_t)column - 1, *order == '-');
        if (compared != 0)
            return compared;
        order = end + (*end == ',');
    }
    return (x->row > y->row) - (x->row < y->row);
}

static bool take_lines(struct result *r)
{
    struct jfr_query *q = r->query;
    r->lines = calloc(q->count + 1, sizeof(*r->lines));
    r->numbers = calloc((q->count + 1) * q->column_count, sizeof(*r->numbers));
    if (!r->lines || !r->numbers)
        return false;
    for (size_t i = 0; i < q->count; i++) {
        double *numbers = r->numbers + r->count * q->column_count;
        if (!q->rows[i].is_wanted || !was_in_last_batch(q, &q->rows[i]))
            continue;
        for (uint32_t c = 0; c < q->column_count; c++)
            r->is_number[c] = jfr_cell_number(&q->rows[i].cells[c], &q->columns[c], &numbers[c]);
        r->lines[r->count++] = (struct line){q, &q->rows[i], numbers};
    }
    return true;
}

/* A share is a part of all rows, not only of the rows that are shown. */
static void make_shares(struct result *r)
{
    for (uint32_t c = 0; c < r->query->column_count; c++) {
        double total = 0;
        for (size_t i = 0; i < r->count && r->query->columns[c].is_share; i++)
            total += isnan(r->lines[i].numbers[c]) ? 0 : r->lines[i].numbers[c];
        for (size_t i = 0; i < r->count && r->query->columns[c].is_share; i++)
            r->lines[i].numbers[c] = total > 0 ? r->lines[i].numbers[c] / total : 0;
    }
}

static void end_cell(struct result *r, uint32_t column, size_t start)
{
    bool is_cut = r->layout->width > 0;
    textbuf_char(&r->text, '\0');
    if (r->text.is_bad)
        return;
    const char *cell = r->text.bytes + start;
    size_t len = is_cut ? jfr_fit_longest(cell) : strlen(cell);
    if (!is_cut && len > WIDTH_MAX)
        len = WIDTH_MAX;
    r->widths[column] = len > r->widths[column] ? len : r->widths[column];
}

static void put_cells(struct result *r)
{
    struct jfr_query *q = r->query;
    for (uint32_t c = 0; c < q->column_count; c++) {
        size_t start = r->text.len;
        const char *heading = q->columns[c].heading;
        textbuf_text(&r->text, heading[0] != '\0' ? heading : q->columns[c].fields);
        end_cell(r, c, start);
    }
    for (size_t i = 0; i < r->shown; i++)
        for (uint32_t c = 0; c < q->column_count; c++) {
            size_t start = r->text.len;
            jfr_cell_put(&r->lines[i].row->cells[c], &q->columns[c], r->lines[i].numbers[c],
                         r->layout->cell_height > 1, &r->text);
            end_cell(r, c, start);
        }
}

static void put_table(struct result *r, struct jfr_printer *o)
{
    uint32_t columns = r->query->column_count;
    size_t needed = jfr_fit_widths(r->layout, r->widths, r->is_number, columns);
    const char *cell = r->text.bytes;
    if (needed > 0)
        jfr_fit_refuse(r->layout, o, needed);
    for (size_t i = 0; i <= r->shown && needed == 0; i++)
        cell = jfr_fit_row(r->layout, o, cell, r->widths, r->is_number, columns);
}

/* Writes the value of a form's line, which begins after `indent` characters. */
static void put_form_value(const struct result *r, struct jfr_printer *o, const char *cell,
                           size_t indent)
{
    const struct jfr_fit *l = r->layout;
    if (l->width > 0) {
        jfr_fit_text(l, o, cell, l->width > indent ? l->width - indent : 0,
                     l->cell_height > 0 ? l->cell_height : FORM_LINES, indent);
        return;
    }
    jfr_printer_plain(o, cell, strlen(cell));
    textbuf_char(&o->text, '\n');
}

/* Writes lines such as "Longest: 26.7 ms", with the values below each other. */
static void put_form(const struct result *r, struct jfr_printer *o)
{
    const char *heading = r->text.bytes, *cell = heading;
    size_t width = 0;
    for (uint32_t c = 0; c < r->query->column_count; c++, cell += strlen(cell) + 1)
        width = strlen(cell) > width ? strlen(cell) : width;
    for (uint32_t c = 0; c < r->query->column_count && r->shown > 0; c++) {
        textbuf_text(&o->text, heading);
        textbuf_char(&o->text, ':');
        textbuf_fill(&o->text, ' ', width - strlen(heading) + 1);
        put_form_value(r, o, cell, width + 2);
        heading += strlen(heading) + 1;
        cell += strlen(cell) + 1;
    }
}

/* Fills the table of data with all rows, in their order. */
static void fill(const struct result *r, struct tabular *t)
{
    const struct jfr_query *q = r->query;
    char key[JFR_COLUMN_TEXT];
    t->name = q->named->name;
    for (uint32_t c = 0; c < q->column_count; c++) {
        jfr_datum_key(&q->columns[c], key, sizeof(key));
        tabular_column(t, key);
    }
    for (size_t i = 0; i < r->count; i++)
        for (uint32_t c = 0; c < q->column_count; c++)
            jfr_datum_cell(t, &r->lines[i].row->cells[c], &q->columns[c], r->lines[i].numbers[c]);
}

/* Puts the lines in the order of the table. */
static int arrange(struct result *r, const struct tabular *t)
{
    struct line *lines = calloc(r->count + 1, sizeof(*lines));
    if (!lines)
        return -ENOMEM;
    for (size_t i = 0; i < r->count; i++)
        lines[i] = r->lines[tabular_at(t, i)];
    free(r->lines);
    r->lines = lines;
    return 0;
}

/* Gives the rows to the table of data. Returns 1 if they are printed as text, too; 0: they are
 * not. Errors: as jfr_query_put(). */
static int place(struct result *r, struct tabular_out *out)
{
    struct tabular t = {0};
    int code = 1;
    if (!tabular_wants_rows(out->how))
        return 1;
    fill(r, &t);
    bool is_text = tabular_place(out, &t, r->shown);
    if (!is_text)
        code = out->is_bad ? -ENOMEM : 0;
    else if (!out->has_tables && tabular_check(out) < 0)
        code = E_NOT_FOUND;
    else if (arrange(r, &t) < 0)
        code = -ENOMEM;
    tabular_done(&t);
    return code;
}

static int put_lines(struct result *r, struct jfr_printer *o)
{
    put_cells(r);
    if (r->text.is_bad)
        return -ENOMEM;
    textbuf_printf(&o->text, "%s\n\n", r->query->named->title);
    if (r->query->named->is_form)
        put_form(r, o);
    else
        put_table(r, o);
    if (r->count > r->shown)
        textbuf_printf(&o->text, "... and %zu more\n", r->count - r->shown);
    return 0;
}

int jfr_query_put(struct jfr_query *q, struct jfr_printer *o, const struct jfr_fit *layout,
                  uint32_t top, struct tabular_out *out)
{
    struct result r = {.query = q, .layout = layout};
    uint32_t limit = top > 0 ? top : q->named->limit;
    int code = q->error == 0 && take_lines(&r) ? 0 : -ENOMEM;
    if (code == 0) {
        if (q->named->order[0] != '\0')
            qsort(r.lines, r.count, sizeof(*r.lines), compare);
        make_shares(&r);
        r.shown = limit > 0 && limit < r.count ? limit : r.count;
        code = place(&r, out);
    }
    if (code > 0)
        code = put_lines(&r, o);
    free(r.lines);
    free(r.numbers);
    textbuf_done(&r.text);
    return code;
}

/* ---- the query in words
 *
 * The words are those of the query language of the JDK's tool. The names and functions are our own
 * (jfr_views.def). */

static void put_comma(struct textbuf *t, bool *is_first)
{
    textbuf_text(t, *is_first ? " " : ", ");
    *is_first = false;
}

/* Writes "count() AS 'Samples'" for "Samples=count()". */
static void put_columns(struct textbuf *t, const char *columns)
{
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    textbuf_text(t, "SELECT");
    while (jfr_column_next(&columns, ',', word)) {
        char *equals = strchr(word, '=');
        put_comma(t, &is_first);
        textbuf_text(t, equals ? equals + 1 : word);
        if (equals)
            textbuf_printf(t, " AS '%.*s'", (int)(equals - word), word);
    }
}

static void put_where(struct textbuf *t, const struct jfr_where_set *where, bool is_first)
{
    for (uint32_t i = 0; i < where->count; i++)
        textbuf_printf(t, "%s%s", is_first && i == 0 ? "\nWHERE " : " AND ", where->of[i]);
}

/* Writes "jdk.A AS S WHERE S.x=y AND S.z=w" for "S=jdk.A[x=y&z=w]". */
static void put_sources(struct textbuf *t, const char *from, const struct jfr_where_set *where)
{
    struct jfr_column_source sources[JFR_COLUMN_SOURCES];
    uint32_t count = jfr_column_read_sources(from, sources);
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    textbuf_text(t, "\nFROM");
    for (uint32_t i = 0; i < count; i++) {
        put_comma(t, &is_first);
        textbuf_text(t, sources[i].events);
        if (sources[i].letter)
            textbuf_printf(t, " AS %c", sources[i].letter);
    }
    is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        const char *list = sources[i].conditions;
        while (jfr_column_next(&list, '&', word)) {
            textbuf_text(t, is_first ? "\nWHERE " : " AND ");
            is_first = false;
            if (sources[i].letter)
                textbuf_printf(t, "%c.", sources[i].letter);
            textbuf_text(t, word);
        }
    }
    put_where(t, where, is_first);
}

/* Writes the fields of a key such as "stackTrace,#gcId", without '#'. */
static void put_group(struct textbuf *t, const char *group)
{
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    if (group[0] != '\0')
        textbuf_text(t, "\nGROUP BY");
    while (jfr_column_next(&group, ',', word)) {
        put_comma(t, &is_first);
        textbuf_text(t, word + (word[0] == '#'));
    }
}

static void put_order(struct textbuf *t, const struct jfr_query_named *view)
{
    struct jfr_column columns[JFR_COLUMN_MAX];
    uint32_t count = jfr_column_read(view->columns, NULL, 0, columns);
    const char *order = view->order;
    bool is_first = true;
    if (order[0] != '\0')
        textbuf_text(t, "\nORDER BY");
    while (*order != '\0') {
        char *end;
        unsigned long number = strtoul(order + 1, &end, BASE);
        const struct jfr_column *c = number <= count ? &columns[number - 1] : NULL;
        put_comma(t, &is_first);
        if (c && c->heading[0] != '\0')
            textbuf_printf(t, "'%s'", c->heading);
        else if (c)
            textbuf_text(t, c->fields);
        textbuf_text(t, *order == '-' ? " DESC" : " ASC");
        order = end + (*end == ',');
    }
}

void jfr_query_show(const struct jfr_query_named *view, const struct jfr_where_set *where,
                    struct jfr_printer *o)
{
    struct textbuf *t = &o->text;
    textbuf_char(t, '\n');
    put_columns(t, view->columns);
    put_sources(t, view->from, where);
    put_group(t, view->group);
    put_order(t, view);
    if (view->limit > 0)
        textbuf_printf(t, "\nLIMIT %u", view->limit);
    textbuf_char(t, '\n');
}

void jfr_query_show_events(const char *events, const char *group, const char *sum,
                           const struct jfr_where_set *where, uint32_t top, struct jfr_printer *o)
{
    struct textbuf *t = &o->text;
    textbuf_text(t, group ? "\nSELECT count(), share(" : "\nSELECT *");
    if (group && sum)
        textbuf_printf(t, "sum(%s)), sum(%s), avg(%s), max(%s), %s", sum, sum, sum, sum, group);
    else if (group)
        textbuf_printf(t, "count()), %s", group);
    textbuf_printf(t, "\nFROM %s", events);
    put_where(t, where, true);
    if (group)
        textbuf_printf(t, "\nGROUP BY %s\nORDER BY %s DESC", group, sum ? "sum" : "count");
    textbuf_printf(t, "\nLIMIT %u\n", top);
}
