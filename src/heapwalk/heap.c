/*
 * heap.c - see heap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap.h"
#include <stdio.h>
#include "base/err.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    /* No heap has more regions. */
    REGIONS_MAX = 1 << 20,
    ALIGN_MAX = 256,
    /* ZGC. It reserves the address space of 16 heaps, so that objects have places to
     * move to. A granule is 2 MB. The colour of a reference is in its lowest bits. Z_REMAPPED are
     * those of these bits that say whether the reference leads to the object's current place.
     * Source: zGlobals.hpp (ZVirtualToPhysicalRatio), zAddress.hpp. */
    Z_RATIO = 16,
    Z_COLOURS = 16,
    Z_REMAPPED = 0xf000,
    /* Single-generation ZGC: the phase in which objects are moved, and the time after it until the
     * next collection begins. Source: zGlobals.hpp (ZPhaseRelocate). */
    Z_PHASE_RELOCATE = 2,
    Z_PIECE = 512, /* entries of a table that are read in one go */
    Z_NAME = 64,
};

static uint64_t word_at(const struct heap *h, uint64_t base, int32_t offset)
{
    return base == 0 || offset < 0 ? 0 : target_u8(h->target, base + (uint64_t)offset);
}

/* The offset of the first of the named fields that this VM has; -1: it has none. */
static int32_t field_of(const struct target *t, const char *const names[][2])
{
    for (int i = 0; names[i][0]; i++) {
        int32_t at = target_field(t, names[i][0], names[i][1], -1);
        if (at >= 0)
            return at;
    }
    return -1;
}

static enum heap_collector find_collector(const struct target *t)
{
    static const struct {
        const char *flag;
        enum heap_collector collector;
    } rows[] = {{"UseSerialGC", HEAP_SERIAL},
                {"UseParallelGC", HEAP_PARALLEL},
                {"UseG1GC", HEAP_G1},
                {"UseShenandoahGC", HEAP_SHENANDOAH},
                {"UseZGC", HEAP_ZGC}};
    if (vm_flags_number(t, "UseConcMarkSweepGC", 1, 0) || vm_flags_number(t, "UseParNewGC", 1, 0))
        return HEAP_OTHER;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (vm_flags_number(t, rows[i].flag, 1, 0))
            return rows[i].collector;
    }
    return t->layout->version < RELEASE_COLLECTOR_FLAG ? HEAP_SERIAL : HEAP_OTHER;
}

static void open_g1(struct heap *h)
{
    static const char *const regions[][2] = {
        {"HeapRegionManager", "_regions"}, {"G1HeapRegionManager", "_regions"}, {NULL, NULL}};
    static const char *const bottoms[][2] = {
        {"G1HeapRegion", "_bottom"}, {"HeapRegion", "_bottom"}, {"Space", "_bottom"}, {NULL, NULL}};
    static const char *const ends[][2] = {
        {"G1HeapRegion", "_end"}, {"HeapRegion", "_end"}, {"Space", "_end"}, {NULL, NULL}};
    static const char *const tops[][2] = {{"G1HeapRegion", "_top"},
                                          {"HeapRegion", "_top"},
                                          {"G1ContiguousSpace", "_top"},
                                          {NULL, NULL}};
    const struct target *t = h->target;
    int32_t manager = target_field(t, "G1CollectedHeap", "_hrm", -1), array = field_of(t, regions);
    int32_t base = target_field(t, "G1HeapRegionTable", "_base", -1),
            length = target_field(t, "G1HeapRegionTable", "_length", -1);
    h->region_bottom = field_of(t, bottoms);
    h->region_end = field_of(t, ends);
    h->region_top = field_of(t, tops);
    /* JDK 8 does not describe `_top`: it is the first field after those of CompactibleSpace. */
    if (h->region_top < 0 && t->layout->version < RELEASE_REGION_TOP)
        h->region_top = target_field(t, "CompactibleSpace", "_end_of_live", -9) + 8;
    if (manager < 0 || array < 0 || base < 0 || length < 0)
        return;
    uint64_t table = h->address + (uint64_t)manager + (uint64_t)array;
    h->table = word_at(h, table, base);
    h->count = word_at(h, table, length);
}

static void open_shenandoah(struct heap *h)
{
    const struct target *t = h->target;
    h->region_bottom = target_field(t, "ShenandoahHeapRegion", "_bottom", -1);
    h->region_top = target_field(t, "ShenandoahHeapRegion", "_top", -1);
    h->region_end = target_field(t, "ShenandoahHeapRegion", "_end", -1);
    h->table = word_at(h, h->address, target_field(t, "ShenandoahHeap", "_regions", -1));
    h->count = word_at(h, h->address, target_field(t, "ShenandoahHeap", "_num_regions", -1));
}

static void open_spaces(struct heap *h)
{
    static const char *const bottoms[][2] = {
        {"ContiguousSpace", "_bottom"}, {"Space", "_bottom"}, {NULL, NULL}};
    static const char *const ends[][2] = {
        {"ContiguousSpace", "_end"}, {"Space", "_end"}, {NULL, NULL}};
    static const char *const mutable_bottoms[][2] = {
        {"MutableSpace", "_bottom"}, {"ImmutableSpace", "_bottom"}, {NULL, NULL}};
    static const char *const mutable_ends[][2] = {
        {"MutableSpace", "_end"}, {"ImmutableSpace", "_end"}, {NULL, NULL}};
    const struct target *t = h->target;
    int serial = h->collector == HEAP_SERIAL;
    h->count = HEAP_SPACES;
    h->region_bottom = field_of(t, serial ? bottoms : mutable_bottoms);
    h->region_end = field_of(t, serial ? ends : mutable_ends);
    h->region_top = target_field(t, serial ? "ContiguousSpace" : "MutableSpace", "_top", -1);
}

/* The offset of a field of a class of ZGC. From JDK 21 on the names of ZGC with one generation
 * begin with an X. */
static int32_t z_field(const struct heap *h, const char *type, const char *field)
{
    char name[Z_NAME];
    bool is_x = heap_is_z_one(h) && h->target->layout->version >= RELEASE_Z_ONE_NAMES;
    snprintf(name, sizeof(name), "%c%s", is_x ? 'X' : 'Z', type);
    return target_field(h->target, name, field, -1);
}

/* ZGC has a table of pages with one entry for each granule. A page of several granules is in the
 * entry of each. */
static void open_z(struct heap *h)
{
    const struct target *t = h->target;
    const struct hs_refs *r = &h->oops.refs;
    int32_t memory = z_field(h, "Page", "_virtual"), start = z_field(h, "VirtualMemory", "_start"),
            end = z_field(h, "VirtualMemory", "_end"), size = z_field(h, "VirtualMemory", "_size"),
            heap = z_field(h, "CollectedHeap", "_heap"), pages = z_field(h, "Heap", "_page_table"),
            map = z_field(h, "PageTable", "_map"),
            array = z_field(h, "GranuleMapForPageTable", "_map"),
            allocator = z_field(h, "Heap", "_page_allocator"),
            most = z_field(h, "PageAllocator", "_max_capacity");
    if (!r->is_x86 || memory < 0 || start < 0 || (end < 0 && size < 0) || heap < 0 || pages < 0 ||
        map < 0 || array < 0 || allocator < 0 || most < 0 ||
        (heap_is_z_one(h) && (r->phase_at == 0 || r->forwarding.users < 0)))
        return;
    uint64_t at = h->address + (uint64_t)heap;
    h->granule_shift = (int32_t)r->granule_shift;
    h->table = word_at(h, at + (uint64_t)pages + (uint64_t)map, array);
    h->count = Z_RATIO * word_at(h, at + (uint64_t)allocator, most) >> h->granule_shift;
    if (h->count > (r->offset_mask + 1) >> h->granule_shift)
        h->count = (r->offset_mask + 1) >> h->granule_shift;
    h->region_bottom = memory + start;
    h->region_top = z_field(h, "Page", "_top");
    h->region_has_size = end < 0;
    h->region_end = memory + (end < 0 ? size : end);
    h->low = heap_is_z_one(h) ? target_u8(t, r->good_at) & r->colours : r->offset_mask + 1;
    h->high = h->low + (h->count << h->granule_shift);
}

/* These are static fields until JDK 26, and fields of the heap since JDK 27. */
static uint64_t parallel_generation(const struct heap *h, const char *name)
{
    int32_t field = target_field(h->target, "ParallelScavengeHeap", name, -1);
    return field >= 0 ? word_at(h, h->address, field)
                      : target_static_value(h->target, "ParallelScavengeHeap", name, 8);
}

/* The addresses of the spaces of a heap with two generations, by enum heap_space; 0: unknown. */
static void find_spaces(const struct heap *h, uint64_t ret[HEAP_SPACES])
{
    static const char *const young_gens[][2] = {
        {"SerialHeap", "_young_gen"}, {"GenCollectedHeap", "_young_gen"}, {NULL, NULL}};
    static const char *const old_gens[][2] = {
        {"SerialHeap", "_old_gen"}, {"GenCollectedHeap", "_old_gen"}, {NULL, NULL}};
    static const char *const old_spaces[][2] = {{"TenuredGeneration", "_the_space"},
                                                {"OneContigSpaceCardGeneration", "_the_space"},
                                                {NULL, NULL}};
    const struct target *t = h->target;
    const char *young_type = "DefNewGeneration";
    uint64_t young, old;
    if (h->collector == HEAP_PARALLEL) {
        young_type = "PSYoungGen";
        young = parallel_generation(h, "_young_gen");
        old = parallel_generation(h, "_old_gen");
        ret[HEAP_OLD] = word_at(h, old, target_field(t, "PSOldGen", "_object_space", -1));
    } else {
        int32_t gens = target_field(t, "GenCollectedHeap", "_gens", -1); /* JDK 8 */
        young = word_at(h, h->address, gens >= 0 ? gens : field_of(t, young_gens));
        old = word_at(h, h->address, gens >= 0 ? gens + 8 : field_of(t, old_gens));
        ret[HEAP_OLD] = word_at(h, old, field_of(t, old_spaces));
    }
    ret[HEAP_EDEN] = word_at(h, young, target_field(t, young_type, "_eden_space", -1));
    ret[HEAP_FROM] = word_at(h, young, target_field(t, young_type, "_from_space", -1));
    ret[HEAP_TO] = word_at(h, young, target_field(t, young_type, "_to_space", -1));
}

int heap_open(const struct target *t, struct heap *ret_heap, const char **ret_why)
{
    struct heap h = {.target = t};
    int error = oops_init(t, &h.oops, ret_why);
    if (error < 0)
        return error;
    h.collector = find_collector(t);
    h.address = target_static_value(t, "Universe", "_collectedHeap", 8);
    h.reference_bytes = h.oops.refs.is_compressed ? 4 : 8;
    h.align = (uint32_t)vm_flags_number(t, "ObjectAlignmentInBytes", 8, 8);
    int32_t reserved = target_field(t, "CollectedHeap", "_reserved", -1);
    h.low = word_at(&h, h.address, reserved);
    h.high = h.low + word_at(&h, h.address, reserved + 8) * 8;
    if (h.collector == HEAP_OTHER ||
        (h.collector == HEAP_ZGC && h.oops.refs.mover != HS_REFS_Z_TWO && !heap_is_z_one(&h)) ||
        (h.collector == HEAP_SHENANDOAH && t->layout->version < RELEASE_FORWARDING_TABLES)) {
        *ret_why = "this garbage collector's heap cannot be read from outside";
        return E_UNSUPPORTED;
    }
    if (h.collector == HEAP_PARALLEL && vm_flags_number(t, "UseNUMA", 1, 0)) {
        *ret_why = "UseNUMA cuts the heap into pieces that are not described";
        return E_UNSUPPORTED;
    }
    if (h.collector == HEAP_ZGC)
        open_z(&h);
    else if (h.collector == HEAP_G1)
        open_g1(&h);
    else if (h.collector == HEAP_SHENANDOAH)
        open_shenandoah(&h);
    else
        open_spaces(&h);
    if (h.low == 0 || h.high <= h.low || h.align < 8 || h.align > ALIGN_MAX ||
        (h.align & (h.align - 1)) != 0) {
        *ret_why = "CollectedHeap::_reserved";
        return E_FACT_MISSING;
    }
    if (h.region_bottom < 0 || h.region_top < 0 || h.region_end < 0 || h.count == 0 ||
        h.count > REGIONS_MAX) {
        *ret_why = "the regions of the heap";
        return E_FACT_MISSING;
    }
    *ret_heap = h;
    return 0;
}

void heap_stand_still(struct heap *h)
{
    const struct hs_refs *r = &h->oops.refs;
    uint64_t mask = 0;
    if (h->collector == HEAP_ZGC)
        mask = target_u8(h->target, r->good_at) & (heap_is_z_one(h) ? r->colours : Z_REMAPPED);
    h->good = (mask & (mask - 1)) == 0 ? mask : 0;
    if (heap_is_z_one(h) && h->good != 0) {
        h->low = h->good;
        h->high = h->low + (h->count << h->granule_shift);
    }
}

/* A piece of the table of forwardings. `last` is the forwarding before, since a page of several
 * granules stands in the entry of each. */
static bool some_are_used(const struct heap *h, const uint64_t *forwardings, uint64_t count,
                          uint64_t *last)
{
    for (uint64_t i = 0; i < count; i++) {
        if (forwardings[i] == *last)
            continue;
        *last = forwardings[i];
        if (*last != 0 &&
            target_u4(h->target, *last + (uint64_t)h->oops.refs.forwarding.users) != 0)
            return true;
    }
    return false;
}

bool heap_is_moving(const struct heap *h)
{
    const struct hs_refs_table *table = &h->oops.refs.tables[0];
    uint64_t piece[Z_PIECE], last = 0;
    if (!heap_is_z_one(h) || target_u4(h->target, h->oops.refs.phase_at) != Z_PHASE_RELOCATE)
        return false;
    for (uint64_t at = 0; at < table->granules && at < h->count; at += Z_PIECE) {
        uint64_t count = table->granules - at < Z_PIECE ? table->granules - at : Z_PIECE;
        /* a core has no pages of the table to which nothing was written */
        if (mem_read(h->target->mem, table->map + at * 8, piece, count * 8) == 0 &&
            some_are_used(h, piece, count, &last))
            return true;
    }
    return false;
}

uint64_t heap_of_coloured(const struct heap *h, uint64_t word)
{
    struct mem_view view = {.mem = h->target->mem};
    const struct hs_refs *r = &h->oops.refs;
    uint64_t object;
    if (word >> Z_COLOURS == 0)
        return 0;
    if (heap_is_z_one(h)) {
        if ((word & h->good) != 0 && (word & ~(r->offset_mask | r->colours)) == 0)
            return (word & r->offset_mask) | h->good;
        return hs_refs_follow(&view, r, word, &object) ? object : HEAP_NOWHERE;
    }
    if (word >> 48 == 0) /* a plain address; a coloured reference is larger */
        return word;
    if ((word & h->good) != 0)
        return word >> (1 + (unsigned)__builtin_ctzll(h->good));
    return hs_refs_follow(&view, r, word, &object) ? object : HEAP_NOWHERE;
}

uint32_t heap_ranges_max(const struct heap *h)
{
    return (uint32_t)h->count;
}

/* Sorts the four spaces; regions are sorted already. */
static void sort_ranges(struct heap_range *ranges, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        struct heap_range r = ranges[i];
        int64_t at = i;
        for (; at > 0 && ranges[at - 1].bottom > r.bottom; at--)
            ranges[at] = ranges[at - 1];
        ranges[at] = r;
    }
}

/* Whether the pieces are in order and begin and end at words. They need not be apart: in JDK 8 the
 * first region of a humongous object of G1 has its end behind the last one. */
static bool are_in_order(const struct heap_range *ranges, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const struct heap_range *r = &ranges[i];
        if (((r->bottom | r->top | r->end) & 7) != 0 || (i > 0 && r->bottom < ranges[i - 1].bottom))
            return false;
    }
    return true;
}

/* Reads a page of ZGC. Its range is in offsets from the beginning of the heap. */
static struct heap_range z_page(const struct heap *h, uint64_t page)
{
    struct heap_range r = {.bottom = word_at(h, page, h->region_bottom),
                           .top = word_at(h, page, h->region_top),
                           .end = word_at(h, page, h->region_end)};
    if (h->region_has_size)
        r.end += r.bottom;
    return r;
}

static int64_t z_ranges(const struct heap *h, struct heap_range *ret_ranges, uint32_t max)
{
    uint64_t span = h->high - h->low, granule = (uint64_t)1 << h->granule_shift;
    int64_t count = 0;
    for (uint64_t at = 0; at < span;) {
        uint64_t page = target_u8(h->target, h->table + (at >> h->granule_shift) * 8);
        if (page == 0) {
            at += granule;
            continue;
        }
        struct heap_range r = z_page(h, page);
        if (r.bottom != at || r.top < r.bottom || r.top > r.end || r.end <= r.bottom ||
            r.end > span || (r.end & (granule - 1)) != 0)
            return E_VM_STATE;
        if (count == (int64_t)max)
            return E_LIMIT;
        at = r.end;
        ret_ranges[count++] =
            (struct heap_range){h->low + r.bottom, h->low + r.top, h->low + r.end};
    }
    return count;
}

/* Reads a region or a space. Returns whether it makes sense. */
static bool read_range(const struct heap *h, uint64_t region, struct heap_range *ret)
{
    *ret = (struct heap_range){.bottom = word_at(h, region, h->region_bottom),
                               .top = word_at(h, region, h->region_top),
                               .end = word_at(h, region, h->region_end)};
    return ret->bottom >= h->low && ret->end <= h->high && ret->top >= ret->bottom &&
           ret->top <= ret->end;
}

bool heap_spaces(const struct heap *h, struct heap_range ret[HEAP_SPACES])
{
    uint64_t spaces[HEAP_SPACES] = {0};
    bool makes_sense = h->collector == HEAP_SERIAL || h->collector == HEAP_PARALLEL;
    if (makes_sense)
        find_spaces(h, spaces);
    for (int i = 0; i < HEAP_SPACES && makes_sense; i++)
        makes_sense = read_range(h, spaces[i], &ret[i]);
    return makes_sense;
}

int64_t heap_ranges(const struct heap *h, struct heap_range *ret_ranges, uint32_t max)
{
    uint64_t spaces[HEAP_SPACES] = {0};
    int64_t count = 0;
    bool has_table = h->table != 0;
    if (h->collector == HEAP_ZGC)
        return z_ranges(h, ret_ranges, max);
    if (!has_table)
        find_spaces(h, spaces);
    for (uint64_t i = 0; i < h->count; i++) {
        uint64_t region = has_table ? target_u8(h->target, h->table + i * 8) : spaces[i];
        struct heap_range r;
        if (region == 0 && has_table) /* a region that was never committed */
            continue;
        if (!read_range(h, region, &r))
            return E_VM_STATE;
        if (count == (int64_t)max)
            return E_LIMIT;
        ret_ranges[count++] = r;
    }
    if (!has_table)
        sort_ranges(ret_ranges, count);
    return are_in_order(ret_ranges, count) ? count : E_VM_STATE;
}
