/*
 * jfr_query.c - see jfr_query.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_query.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "jfrtool/jfr_cell.h"
#include "jfrtool/jfr_path.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_where.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"

enum { ROOM_MIN = 32 };

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
