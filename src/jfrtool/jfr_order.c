/*
 * jfr_order.c - see jfr_order.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_order.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"

enum { ROOM_MIN = 4096 };

/* The first field of an event is its start. The second is its duration, if it has one. */
static int64_t end_of(const struct jfr_type *type, const struct jfr_record *record)
{
    struct leb l = record->payload;
    uint64_t start = leb_number(&l);
    if (type->field_count > 1 && strcmp(type->fields[1].name, "duration") == 0)
        start += leb_number(&l);
    return (int64_t)start;
}

static int add(struct jfr_order *o, int64_t end_ticks, const uint8_t *bytes)
{
    if (o->count == o->room) {
        size_t room = o->room > 0 ? o->room * 2 : ROOM_MIN;
        struct jfr_order_row *rows = realloc(o->rows, room * sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        o->rows = rows;
        struct jfr_order_row *spare = realloc(o->spare, room * sizeof(*spare));
        if (!spare)
            return -ENOMEM;
        o->spare = spare;
        o->room = room;
    }
    o->rows[o->count++] = (struct jfr_order_row){end_ticks, bytes};
    return 0;
}

/* The end of the sorted run that begins at `at`. */
static size_t run_end(const struct jfr_order *o, size_t at)
{
    for (at++; at < o->count && o->rows[at].end_ticks >= o->rows[at - 1].end_ticks; at++)
        ;
    return at;
}

static void merge(struct jfr_order *o, size_t first, size_t middle, size_t end)
{
    size_t a = first, b = middle, to = first;
    while (a < middle && b < end)
        o->spare[to++] = o->rows[b].end_ticks < o->rows[a].end_ticks ? o->rows[b++] : o->rows[a++];
    memcpy(o->spare + to, o->rows + a, (middle - a) * sizeof(*o->rows));
    to += middle - a;
    memcpy(o->spare + to, o->rows + b, (end - b) * sizeof(*o->rows));
}

/* Each round merges neighbouring runs in pairs. */
static void sort(struct jfr_order *o)
{
    for (bool is_sorted = false; !is_sorted;) {
        is_sorted = true;
        for (size_t first = 0; first < o->count;) {
            size_t middle = run_end(o, first);
            size_t end = middle < o->count ? run_end(o, middle) : middle;
            merge(o, first, middle, end);
            is_sorted = is_sorted && first == 0 && end == o->count;
            first = end;
        }
        struct jfr_order_row *sorted = o->spare;
        o->spare = o->rows;
        o->rows = sorted;
    }
}

int jfr_order_chunk(struct jfr_order *o, struct jfr_file *f, const struct jfr_filter *filter)
{
    const struct jfr_metadata *m = &f->chunk.metadata;
    struct jfr_record record;
    int r = 0;
    free(o->wanted);
    o->count = 0;
    o->wanted = calloc(m->type_count + (size_t)1, sizeof(*o->wanted));
    if (!o->wanted)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->type_count; i++)
        o->wanted[i] = jfr_type_is_event(&m->types[i]) && jfr_filter_fits(filter, &m->types[i]);
    while (r == 0 && jfr_file_next_record(f, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        if (type && o->wanted[type->number])
            r = add(o, end_of(type, &record), record.bytes);
    }
    if (r == 0)
        sort(o);
    return r;
}

void jfr_order_done(struct jfr_order *o)
{
    free(o->rows);
    free(o->spare);
    free(o->wanted);
    *o = (struct jfr_order){0};
}
