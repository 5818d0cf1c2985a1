/*
 * jfr_order.c - see jfr_order.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_order.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/window.h"
#include "command/say.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_nanotime.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_printer.h"

enum { ROOM_MIN = 4096 };

/* Gives the start and the end of an event in ticks. The first field of an event is its start. The
 * second is its duration, if it has one. A file may have any number there, so the sum is unsigned
 * and may wrap. */
static void read_span(const struct jfr_type *type, const struct jfr_record *record,
                      int64_t *ret_start, int64_t *ret_end)
{
    struct leb l = record->payload;
    uint64_t start = leb_number(&l), end = start;
    if (type->field_count > 1 && strcmp(type->fields[1].name, "duration") == 0)
        end += leb_number(&l);
    *ret_start = (int64_t)start;
    *ret_end = (int64_t)end;
}

bool jfr_order_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record)
{
    int64_t start, end;
    read_span(type, record, &start, &end);
    return !window_is_set(w) ||
           (jfr_chunk_time_ns(c, start) < w->to_ns && jfr_chunk_time_ns(c, end) >= w->from_ns);
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
        int64_t start, end;
        if (!type || !o->wanted[type->number])
            continue;
        read_span(type, &record, &start, &end);
        r = add(o, end, record.bytes);
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

/* ---- a pass over a file */

static int pass_chunk(const struct jfr_order_pass *pass, struct jfr_order *order,
                      struct jfr_file *file)
{
    const struct jfr_chunk *c = &file->chunk;
    struct window *range = pass->range && window_is_set(pass->range) ? pass->range : NULL;
    struct jfr_record record;
    int code = range && c->has_types ? jfr_nanotime_resolve(range, c) : 0;
    if (code < 0)
        return code;
    jfr_printer_chunk(pass->out, c);
    if (pass->begin)
        pass->begin(pass->context, c);
    code = jfr_order_chunk(order, file, &pass->filter);
    for (size_t i = 0; i < order->count && code == 0; i++) {
        jfr_chunk_record(c->bytes, c->len, (size_t)(order->rows[i].bytes - c->bytes), &record);
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        if (!range || jfr_order_takes(range, c, type, &record))
            code = pass->event(pass->context, type, &record);
    }
    if (code == 0 && pass->end)
        pass->end(pass->context);
    return code;
}

int jfr_order_run(const struct jfr_order_pass *pass)
{
    struct jfr_order order = {0};
    struct jfr_input in;
    int code = jfr_input_open(&in, pass->path, true);
    if (code < 0)
        return code;
    while ((code = jfr_file_next_chunk(&in.file)) > 0)
        if ((code = pass_chunk(pass, &order, &in.file)) < 0)
            break;
    jfr_order_done(&order);
    /* E_SYNTAX comes from a condition, and was reported. */
    if (code == E_UNSUPPORTED && pass->range && in.file.chunk.has_types)
        say("%s: " JFR_INPUT_NO_NANOTIME, in.path);
    else if (code < 0 && code != E_SYNTAX)
        jfr_input_say(&in, code);
    else if (pass->is_quiet)
        in.file.damage_count = 0;
    return jfr_input_close(&in) || code < 0 ? code : E_TRUNCATED;
}
