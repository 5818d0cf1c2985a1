/*
 * dumpwriter_id.c - see dumpwriter_id.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapdump/dumpwriter_id.h"
#include "hotspot/target.h"

uint64_t dumpwriter_id_if_moved(struct dumpwriter *w, uint64_t object)
{
    if (object == 0)
        return 0;
    if (w->find->mark.forwarded && heap_has(w->heap, object)) {
        /* The object's old place may not be mapped any more. */
        uint64_t to = target_u8(w->heap->target, object) & ~(uint64_t)3;
        if (heap_mark_has(&w->find->mark, to))
            return dumpwriter_id_of(w, to);
    }
    w->lost_links++;
    return 0;
}
