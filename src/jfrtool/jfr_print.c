/*
 * jfr_print.c - see jfr_print.h.
 *
 * Memory: twice 16 bytes for each event of one chunk.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_print.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_order.h"
#include "jfr/jfr_place.h"
#include "jfrtool/jfr_printer.h"
#include "command/plainout.h"
#include "command/say.h"
#include "jfr/jfr_nanotime.h"

/* Resolves the range, and checks whether times can be written as the user asked. */
static int begin_chunk(const struct jfr_print *p, struct window *range, const struct jfr_chunk *c,
                       struct jfr_printer *out)
{
    if (!c->has_types)
        return 0;
    if (p->clock == JFR_PRINTER_NANOTIME &&
        jfr_nanotime_at_clock(c, &out->nanotime_ns) == JFR_NANOTIME_UNKNOWN)
        return E_UNSUPPORTED;
    return jfr_range_chunk(range, c);
}

int jfr_print_chunk(const struct jfr_print *p, struct window *range, struct jfr_file *f,
                    struct jfr_order *order, struct jfr_printer *out, size_t from)
{
    const struct jfr_chunk *c = &f->chunk;
    bool is_set = window_is_set(range);
    struct jfr_record record;
    int r = begin_chunk(p, range, c, out);
    if (r == 0)
        r = jfr_order_chunk(order, f, &p->filter);
    jfr_printer_chunk(out, c);
    out->jvm = out->contexts && out->contexts->count > 0 ? jfr_place_jvm(c) : 0;
    for (size_t i = 0; i < order->count && r == 0; i++) {
        size_t at = (size_t)(order->rows[i].bytes - c->bytes);
        jfr_chunk_record(c->bytes, c->len, at, &record);
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        if (at < from || (is_set && !jfr_range_takes(range, c, type, &record)))
            continue;
        out->bound.event_at = f->offset + at;
        if (out->bound.cut == 0)
            out->bound.cut_at = out->bound.event_at;
        p->style->event(out, type, &record);
        jfr_printer_end_event(out);
        r = jfr_printer_is_used_up(out) ? E_LIMIT : sink_error(out->sink);
    }
    return r;
}

static int print_all(const struct jfr_print *p, struct jfr_input *in, struct sink *sink)
{
    struct window range = p->range;
    struct jfr_around contexts = {0};
    struct jfr_order order = {0};
    struct jfr_printer out;
    int r = jfr_printer_init(&out, sink, p->stack_depth);
    if (r < 0)
        return r;
    out.is_exact = p->is_exact;
    out.clock = p->clock;
    if (p->style->context) {
        r = jfr_context_read(&contexts, in->path, p->style->context, &out);
        out.contexts = &contexts;
    }
    if (r == 0)
        p->style->begin(&out);
    while (r == 0 && (r = jfr_file_next_chunk(&in->file)) > 0 &&
           (r = jfr_print_chunk(p, &range, &in->file, &order, &out, 0)) == 0)
        ;
    if (r == 0 || jfr_printer_is_used_up(&out))
        p->style->end(&out);
    if (r == 0 && out.text.is_bad)
        r = -ENOMEM;
    if (!jfr_printer_say(&out, in->path))
        r = E_LIMIT;
    jfr_printer_done(&out);
    jfr_order_done(&order);
    jfr_around_done(&contexts);
    return r;
}

int jfr_print_file(const struct jfr_print *p, const char *path)
{
    struct jfr_input in;
    struct plainout out;
    int r = jfr_input_open(&in, path, true);
    if (r < 0)
        return CMD_FAILED;
    r = plainout_open(&out, p->style->is_data);
    if (r == 0) {
        r = print_all(p, &in, &out.sink);
        int done = plainout_done(&out);
        r = r == 0 ? done : r;
    }
    if (r == E_UNSUPPORTED && in.file.chunk.has_types)
        say("%s: " JFR_RANGE_NO_NANOTIME, in.path);
    else if (r < 0 && r != E_LIMIT)
        jfr_input_say(&in, r);
    return jfr_input_close(&in) && r == 0 ? CMD_OK : CMD_FAILED;
}
