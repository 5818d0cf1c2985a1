/*
 * jfr_filler.c - see jfr_filler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_filler.h"
#include <string.h>
#include "jfr/jfr_layout.h"

/* Size, type, start, duration, distance, flags, number of pools. */
enum { PAD_MIN = 7 };

void jfr_filler_head(unsigned char ret[JFR_FILLER_HEAD], uint64_t size)
{
    struct jfr_bytes b = {.at = ret, .size = JFR_FILLER_HEAD};
    memset(ret, 0, JFR_FILLER_HEAD);
    jfr_bytes_set(&b, jfr_bytes_later(&b), (uint32_t)size);
    jfr_bytes_u1(&b, JFR_LAYOUT_CHECKPOINT);
}

void jfr_filler_put(struct jfr_bytes *b, uint64_t space)
{
    unsigned char pad[PAD_MIN + JFR_FILLER_HEAD] = {0}, head[JFR_FILLER_HEAD];
    size_t gap = -b->used % JFR_FILLER_HEAD;
    if (gap > 0 && gap < PAD_MIN)
        gap += JFR_FILLER_HEAD;
    pad[0] = (unsigned char)gap;
    pad[1] = JFR_LAYOUT_CHECKPOINT;
    jfr_bytes_raw(b, pad, gap);
    jfr_filler_head(head, space - b->used);
    jfr_bytes_raw(b, head, sizeof(head));
}
