/*
 * code_cache.c - see code_cache.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/code_cache.h"
#include <stdbool.h>
#include "hotspot/target.h"
#include "safe/hs_method.h"

/* Offsets in blocks and blobs that the walker does not need. HS_NONE: the VM has no such field. */
struct facts {
    int32_t block_length;
    int32_t code_end;    /* a pointer, JDK 9 to 22 */
    int32_t data_offset; /* from the blob's start: the data follows the code */
};

struct reader {
    struct mem_view view;
    const struct hs_layout *layout;
    struct facts facts;
    code_cache_visit *visit;
    void *with;
    uint32_t count;
    struct code_cache_sum sum;
    bool is_sum; /* blocks are only added up */
};

/* The length of a block in segments; 0 if it cannot be read. The length was a size_t up to JDK 21,
 * and has 4 bytes since; the distance to the flag behind it tells which. */
static uint64_t block_segments(struct reader *r, uint64_t block)
{
    uint64_t at = block + (uint64_t)r->facts.block_length;
    uint32_t faults = r->view.faults;
    uint64_t segments = r->layout->block_used - r->facts.block_length >= (int32_t)sizeof(uint64_t)
                            ? mem_view_u8(&r->view, at)
                            : mem_view_u4(&r->view, at);
    return r->view.faults == faults ? segments : 0;
}

static uint64_t code_end(struct reader *r, const struct hs_blob *blob)
{
    uint64_t end = 0;
    if (r->facts.code_end >= 0)
        end = mem_view_u8(&r->view, blob->start + (uint64_t)r->facts.code_end);
    else if (r->facts.data_offset >= 0)
        end = blob->start + mem_view_u4(&r->view, blob->start + (uint64_t)r->facts.data_offset);
    return end > blob->code && end <= blob->end ? end : blob->end;
}

static void read_name(struct reader *r, uint64_t addr, char *name)
{
    for (int i = 0; i < CODE_CACHE_NAME - 1; i++, name++) {
        *name = (char)mem_view_u1(&r->view, addr + (uint64_t)i);
        if (*name == '\0')
            return;
    }
    *name = '\0';
}

static void take_block(struct reader *r, uint64_t block)
{
    const struct hs_layout *l = r->layout;
    struct hs_blob blob;
    if (!hs_code_find(&r->view, l, block + (uint64_t)l->block_size, &blob))
        return;
    struct code_cache_piece piece = {
        .start = blob.code, .end = code_end(r, &blob), .kind = blob.kind};
    if (blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE) {
        struct hs_method method;
        struct hs_nmethod nm;
        hs_code_nmethod(&r->view, l, &blob, &nm);
        if (!hs_method_read(&r->view, l, nm.method, &method))
            return;
        piece.method = nm.method;
        piece.level = nm.level;
    }
    if (piece.start == piece.end)
        return;
    read_name(r, mem_view_u8(&r->view, blob.start + (uint64_t)l->blob_name), piece.name);
    r->visit(&piece, r->with);
    r->count++;
}

static void add_block(struct reader *r, uint64_t block, uint64_t bytes)
{
    const struct hs_layout *l = r->layout;
    struct hs_blob blob;
    uint32_t faults = r->view.faults;
    if (mem_view_u1(&r->view, block + (uint64_t)l->block_used) == 0 || r->view.faults != faults)
        return;
    r->sum.entries++;
    r->sum.bytes += bytes;
    if (!hs_code_find(&r->view, l, block + (uint64_t)l->block_size, &blob))
        return;
    r->sum.methods += blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE;
    r->sum.adapters += blob.kind == HS_BLOB_ADAPTER;
}

/* The map has a 0 for the first segment of each block, used or free, and 255 for segments that are
 * in no block. The map ends where the used part of the heap ends. */
static void take_heap(struct reader *r, const struct hs_heap *h, uint64_t end)
{
    uint64_t segments = (end - h->low) >> h->log2_segment;
    for (uint64_t i = 0; i < segments;) {
        uint32_t faults = r->view.faults;
        uint8_t back = mem_view_u1(&r->view, h->segmap + i);
        if (r->view.faults != faults)
            return;
        uint64_t length = 0;
        if (back == 0) {
            uint64_t block = h->low + (i << h->log2_segment);
            length = block_segments(r, block);
            if (r->is_sum)
                add_block(r, block, length << h->log2_segment);
            else
                take_block(r, block);
        }
        i += length > 0 && length <= segments - i ? length : 1;
    }
}

static struct reader reader_of(const struct target *t)
{
    return (struct reader){
        .view = {.mem = t->mem},
        .layout = t->layout,
        .facts = {.block_length = target_field(t, "HeapBlock::Header", "_length", 0),
                  .code_end = target_field(t, "CodeBlob", "_code_end", HS_NONE),
                  .data_offset = target_field(t, "CodeBlob", "_data_offset", HS_NONE)},
    };
}

struct code_cache_sum code_cache_sum(const struct target *t, uint32_t heap, uint64_t end)
{
    const struct hs_heap *h = &t->layout->heaps[heap];
    struct reader r = reader_of(t);
    r.is_sum = true;
    if (end >= h->low && end <= h->high)
        take_heap(&r, h, end);
    return r.sum;
}

uint32_t code_cache_each(const struct target *t, code_cache_visit *visit, void *with)
{
    struct reader r = reader_of(t);
    r.visit = visit;
    r.with = with;
    for (uint32_t i = 0; i < t->layout->heap_count; i++)
        take_heap(&r, &t->layout->heaps[i], t->layout->heaps[i].high);
    return r.count;
}
