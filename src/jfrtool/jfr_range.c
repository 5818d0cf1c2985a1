/*
 * jfr_range.c - see jfr_range.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_range.h"
#include <string.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_nanotime.h"

int jfr_range_chunk(struct window *w, const struct jfr_chunk *c)
{
    return jfr_nanotime_resolve(w, c);
}

bool jfr_range_takes(const struct window *w, const struct jfr_chunk *c, const struct jfr_type *type,
                     const struct jfr_record *record)
{
    struct leb l = record->payload;
    uint64_t start = leb_number(&l), end = start;
    if (type->field_count > 1 && strcmp(type->fields[1].name, "duration") == 0)
        /* A file may have any number here, so the sum is unsigned and may wrap. */
        end += leb_number(&l);
    return !window_is_set(w) || (jfr_chunk_time_ns(c, (int64_t)start) < w->to_ns &&
                                 jfr_chunk_time_ns(c, (int64_t)end) >= w->from_ns);
}
