/*
 * code_heaps.c - see code_heaps.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/code_heaps.h"
#include <string.h>
#include "hotspot/target.h"

enum {
    WORD = 8,
    WORDS_MAX = 64, /* of a CodeHeap that are looked at for its name */
    COUNTERS = 3,   /* blobs, nmethods, adapters; behind them the times when it was full */
    KIND_BYTES = 4, /* the type of the heap stands between the name and the counters */
    COUNTER_BYTES = 4,
    TAILS_MAX = 1, /* blocks that the VM counts too few */
};

static const char whole[] = "CodeCache"; /* HotSpot's name of a cache that is not parted */

/* ---- finding */

static bool is_name(const char *text)
{
    static const char part[] = "CodeHeap '";
    return strcmp(text, whole) == 0 || strncmp(text, part, strlen(part)) == 0;
}

/* Find the word of the CodeHeap that points to a name. Without one (JDK 8) there is one heap, and
 * its name is that of a whole cache. */
static void find_name(struct code_heaps *h, uint32_t i)
{
    const struct target *t = h->target;
    int32_t first = target_field(t, "CodeHeap", "_log2_segment_size", HS_NONE);
    int32_t size = target_size(t, "CodeHeap");
    uint64_t at = (uint64_t)first / WORD * WORD;
    memcpy(h->of[i].name, whole, sizeof(whole));
    for (int word = 0; first >= 0 && word < WORDS_MAX && at + WORD <= (uint64_t)size;
         word++, at += WORD) {
        char text[CODE_HEAPS_NAME];
        uint64_t address = h->of[i].address + at;
        if (target_text(t, target_u8(t, address), text, sizeof(text)) <= 0 || !is_name(text))
            continue;
        memcpy(h->of[i].name, text, sizeof(text));
        if (at + WORD + KIND_BYTES + (COUNTERS + 1) * COUNTER_BYTES <= (uint64_t)size)
            h->of[i].counters_at = address + WORD + KIND_BYTES;
        return;
    }
}

static void add_heap(struct code_heaps *h, uint64_t address)
{
    const struct hs_layout *l = h->target->layout;
    uint64_t at = address + (uint64_t)h->memory;
    uint64_t low = address ? target_u8(h->target, at + (uint64_t)h->low_boundary) : 0;
    for (uint32_t i = 0; low != 0 && i < l->heap_count; i++)
        if (l->heaps[i].low == low) {
            h->of[i].address = address;
            find_name(h, i);
        }
}

uint32_t code_heaps_init(struct code_heaps *h, const struct target *t)
{
    *h = (struct code_heaps){
        .target = t,
        .memory = target_field(t, "CodeHeap", "_memory", HS_NONE),
        .low = target_field(t, "VirtualSpace", "_low", HS_NONE),
        .high = target_field(t, "VirtualSpace", "_high", HS_NONE),
        .low_boundary = target_field(t, "VirtualSpace", "_low_boundary", HS_NONE),
    };
    if (h->memory < 0 || h->low < 0 || h->high < 0 || h->low_boundary < 0)
        return 0;
    /* JDK 8 has one code heap, later JDKs have an array of them. */
    uint64_t array = target_static_value(t, "CodeCache", "_heaps", WORD);
    int32_t data = target_field(t, "GrowableArray<int>", "_data", HS_NONE);
    uint64_t heaps = array != 0 && data >= 0 ? target_u8(t, array + (uint64_t)data) : 0;
    add_heap(h, target_static_value(t, "CodeCache", "_heap", WORD));
    for (uint32_t i = 0; heaps != 0 && i < t->layout->heap_count; i++)
        add_heap(h, target_u8(t, heaps + (uint64_t)i * WORD));
    h->count = t->layout->heap_count;
    uint32_t found = 0;
    for (uint32_t i = 0; i < h->count; i++)
        found += h->of[i].address != 0;
    return found;
}

/* ---- looking */

struct counters {
    uint32_t of[COUNTERS];
};

static struct counters counters_of(const struct code_heaps *h, uint32_t i)
{
    struct counters c = {{0}};
    for (uint32_t n = 0; h->of[i].counters_at != 0 && n < COUNTERS; n++)
        c.of[n] = target_u4(h->target, h->of[i].counters_at + (uint64_t)n * COUNTER_BYTES);
    return c;
}

static bool is_counted(const struct counters *c, const struct code_cache_sum *sum)
{
    return sum->entries - c->of[0] <= TAILS_MAX && c->of[1] == sum->methods &&
           c->of[2] == sum->adapters;
}

static uint32_t full_count(const struct code_heaps *h, uint32_t i)
{
    return h->of[i].counters_at != 0
               ? target_u4(h->target, h->of[i].counters_at + (uint64_t)COUNTERS * COUNTER_BYTES)
               : 0;
}

int64_t code_heaps_full(const struct code_heaps *h, uint32_t i)
{
    return h->are_counters_known && h->of[i].counters_at != 0 ? (int64_t)full_count(h, i) : -1;
}

uint32_t code_heaps_look(struct code_heaps *h, struct code_heaps_row ret[HS_HEAP_MAX])
{
    uint32_t rows = 0;
    bool are_equal = true;
    for (uint32_t i = 0; i < h->count; i++) {
        uint64_t at = h->of[i].address + (uint64_t)h->memory;
        if (h->of[i].address == 0)
            continue;
        struct code_heaps_row row = {
            .heap = i,
            .name = h->of[i].name,
            .start = target_u8(h->target, at + (uint64_t)h->low),
            .committed_top = target_u8(h->target, at + (uint64_t)h->high),
            .reserved_top = h->target->layout->heaps[i].high,
        };
        if (row.start == 0 || row.committed_top < row.start || row.committed_top > row.reserved_top)
            continue;
        struct counters before = counters_of(h, i);
        row.sum = code_cache_sum(h->target, i, row.committed_top);
        are_equal = are_equal && h->of[i].counters_at != 0 && is_counted(&before, &row.sum);
        ret[rows++] = row;
    }
    h->are_counters_known = h->are_counters_known || (rows > 0 && are_equal);
    for (uint32_t i = 0; i < rows; i++) {
        ret[i].knows_full = code_heaps_full(h, ret[i].heap) >= 0;
        ret[i].full_count = full_count(h, ret[i].heap);
    }
    return rows;
}
