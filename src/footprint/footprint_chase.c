/*
 * footprint_chase.c - what the VM reserved besides heap and code: metaspace, class space, tables of
 * the collector.
 *
 * The VM's tables do not say where these are, and their shapes differ from release to release. But
 * each reservation is described by two neighbouring words, somewhere in the structures of the VM:
 * its start, and its end or its size. So this file goes from the VM's heap object, and then from
 * the static data of libjvm.so, from pointer to pointer through the memory of malloc(), a few steps
 * deep, and looks for such pairs. A pair counts if both words are multiples of a page, and private
 * anonymous memory that nobody has claimed lies there without a gap. What the heap object leads to
 * belongs to the collector; of that the start alone counts, too, if it is the start of a
 * mapping, or of the rest of one.
 *
 * A reservation in which classes or their constant pools lie is metaspace. If it has more classes
 * than pools it is the class space: some releases put a few pools there, and abstract classes with
 * the pools. If no reservation was found around a class or pool, the mapping there is taken.
 * Source: HotSpot virtualspace.hpp, memory/virtualSpace.hpp, metaspace/virtualSpaceNode.hpp,
 * g1PageBasedVirtualSpace.hpp, psVirtualspace.hpp: all of them have such pairs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "footprint/footprint.h"
#include "hotspot/loaded_classes.h"
#include "hotspot/vm_flags.h"

enum {
    WORD = 8,
    PAGE = 4096,
    DEPTH = 3,
    OBJECTS_MOST = 200000,
    OBJECT_WORDS = 512, /* of one object at most */
    GUESS_WORDS = 32,   /* of an object whose size is not known */
    RANGES_MOST = 4096,
    DATA_MOST = 64 << 20,
    RANGE_LEAST = 64 << 10,
    LOWEST = 1 << 16, /* no address is below it */
};

struct object {
    uint64_t at;
    uint32_t words, depth;
};

struct range {
    uint64_t start, end;
    enum footprint_row row;
    bool is_sized;           /* a pair of words says where it ends */
    uint32_t classes, pools; /* that lie there */
};

struct chase {
    struct footprint *f;
    enum footprint_row row;
    uint64_t *run_ends; /* by mapping: where the private anonymous memory from it on ends */
    struct object *queue;
    uint32_t queued, taken;
    uint64_t *seen; /* addresses that were queued: a hash table */
    struct range *ranges;
    uint32_t range_count;
    bool has_found; /* a pair in the object that is being read */
};

enum { SEEN_SLOTS = 1 << 19 };

/* ---- pairs */

static uint64_t run_end(const struct chase *c, uint64_t address)
{
    const struct smaps_region *r = footprint_anonymous(c->f, address);
    return r ? c->run_ends[r - c->f->smaps.rows] : 0;
}

static void take_range(struct chase *c, uint64_t start, uint64_t end, bool is_sized)
{
    c->has_found |= is_sized;
    for (uint32_t i = 0; i < c->range_count; i++)
        if (c->ranges[i].start == start && c->ranges[i].end == end)
            return;
    if (c->range_count < RANGES_MOST)
        c->ranges[c->range_count++] = (struct range){start, end, c->row, is_sized, 0, 0};
}

static bool is_free(const struct chase *c, uint64_t start, uint64_t end)
{
    uint64_t free_end;
    return footprint_claimed_by(c->f, start, &free_end) == FOOTPRINT_ROWS && free_end >= end;
}

static void look_at_pair(struct chase *c, uint64_t start, uint64_t other)
{
    if (start % PAGE != 0 || other % PAGE != 0 || start < LOWEST || other < PAGE)
        return;
    uint64_t end = other > start ? other : start + other;
    /* A small number is rather a count of elements. */
    if (end > start && end - start >= RANGE_LEAST && run_end(c, start) >= end &&
        is_free(c, start, end))
        take_range(c, start, end, true);
}

/* An array of the collector may have its length in elements; then the range is the mapping, or the
 * rest of it behind what is claimed. */
static void look_at_start(struct chase *c, uint64_t start)
{
    const struct smaps_region *r =
        c->row == FOOTPRINT_GC && start % PAGE == 0 ? footprint_anonymous(c->f, start) : NULL;
    uint64_t end;
    if (!r || !r->can_write || (r->start != start && !footprint_is_claimed(c->f, start - 1)) ||
        footprint_claimed_by(c->f, start, &end) != FOOTPRINT_ROWS)
        return;
    end = end < r->end ? end : r->end;
    if (end - start >= RANGE_LEAST)
        take_range(c, start, end, false);
}

static int by_size(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    uint64_t one = x->end - x->start, other = y->end - y->start;
    if (x->is_sized != y->is_sized)
        return x->is_sized ? -1 : 1;
    return one != other ? (one < other) - (one > other)
                        : (x->start > y->start) - (x->start < y->start);
}

/* Of ranges that overlap the largest is the reservation, the others are parts of it. If the
 * collector has one of them, the reservation is the collector's. */
static void settle_ranges(struct chase *c)
{
    uint32_t kept = 0;
    if (c->range_count > 1)
        qsort(c->ranges, c->range_count, sizeof(*c->ranges), by_size);
    for (uint32_t i = 0; i < c->range_count; i++) {
        struct range *over = NULL;
        for (uint32_t j = 0; j < kept && !over; j++)
            if (c->ranges[i].start < c->ranges[j].end && c->ranges[j].start < c->ranges[i].end)
                over = &c->ranges[j];
        if (!over)
            c->ranges[kept++] = c->ranges[i];
        else if (c->ranges[i].row == FOOTPRINT_GC)
            over->row = FOOTPRINT_GC;
    }
    c->range_count = kept;
}

/* ---- objects */

/* Whether pointers to this address are followed. */
static bool is_place(const struct chase *c, uint64_t at)
{
    if (at % WORD != 0 || at < LOWEST)
        return false;
    const struct smaps_region *r = smaps_at(&c->f->smaps, at);
    if (!r || !r->can_write || r->is_shared || r->inode != 0 || r->resident == 0)
        return false;
    uint64_t unused;
    enum footprint_row row = footprint_claimed_by(c->f, at, &unused);
    return row == FOOTPRINT_ROWS || row == FOOTPRINT_MALLOC || row == FOOTPRINT_ARENAS ||
           row == FOOTPRINT_BLOCKS || row == FOOTPRINT_LIBRARIES;
}

/* Notes the address. Returns false if it was noted before, or there is no room. */
static bool note(struct chase *c, uint64_t at)
{
    uint64_t slot = (at >> 3) * 0x9E3779B97F4A7C15u >> 45;
    for (; c->seen[slot % SEEN_SLOTS] != 0; slot++)
        if (c->seen[slot % SEEN_SLOTS] == at)
            return false;
    c->seen[slot % SEEN_SLOTS] = at;
    return true;
}

/* glibc has the size of a block in the word before it. */
static uint32_t words_at(struct chase *c, uint64_t at)
{
    uint64_t head;
    if (c->f->heaps.allocator != FOOTPRINT_GLIBC || !footprint_load(c->f, at - WORD, &head, WORD))
        return GUESS_WORDS;
    uint64_t words = (head & ~(uint64_t)7) / WORD - 1;
    return head >= 4 * WORD && head % 16 < WORD && words <= OBJECT_WORDS ? (uint32_t)words
                                                                         : GUESS_WORDS;
}

static void follow(struct chase *c, uint64_t at, uint32_t depth)
{
    if (depth > DEPTH || c->queued >= OBJECTS_MOST || !is_place(c, at) || !note(c, at))
        return;
    c->queue[c->queued++] = (struct object){at, words_at(c, at), depth};
}

static void read_words(struct chase *c, const uint64_t *words, uint32_t count, uint32_t depth)
{
    c->has_found = false;
    for (uint32_t i = 0; i + 1 < count; i++)
        look_at_pair(c, words[i], words[i + 1]);
    for (uint32_t i = 0; i < count; i++)
        look_at_start(c, words[i]);
    /* Reservations that are linked in a list are as near as the first. */
    depth = c->has_found ? 1 : depth + 1;
    for (uint32_t i = 0; i < count; i++)
        follow(c, words[i], depth);
}

static void read_object(struct chase *c, struct object o)
{
    uint64_t words[OBJECT_WORDS];
    if (footprint_load(c->f, o.at, words, (size_t)o.words * WORD))
        read_words(c, words, o.words, o.depth);
    else if (o.words > 2 && footprint_load(c->f, o.at, words, 2 * WORD))
        read_words(c, words, 2, o.depth);
}

static void drain(struct chase *c)
{
    while (c->taken < c->queued)
        read_object(c, c->queue[c->taken++]);
}

/* ---- where it begins */

static void chase_collector(struct chase *c)
{
    uint64_t heap = target_static_value(&c->f->vm.target, "Universe", "_collectedHeap", WORD);
    c->row = FOOTPRINT_GC;
    if (heap != 0 && note(c, heap)) {
        uint32_t words = words_at(c, heap);
        c->queue[c->queued++] =
            (struct object){heap, words > GUESS_WORDS ? words : OBJECT_WORDS, 0};
    }
    /* Parallel has these as static data, and the barrier's card table is found from there. */
    static const char *const symbols[] = {"_ZN17PSParallelCompact12_mark_bitmapE",
                                          "_ZN17PSParallelCompact13_summary_dataE",
                                          "_ZN10BarrierSet12_barrier_setE", "_ZN7oopDesc3_bsE"};
    enum { COUNT = sizeof(symbols) / sizeof(*symbols) };
    uint64_t at[COUNT];
    elf_file_symbols(&c->f->vm.target.vm->libjvm, symbols, at, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (at[i] != 0)
            c->queue[c->queued++] =
                (struct object){at[i] + c->f->vm.target.vm->bias, GUESS_WORDS / 4, 0};
    drain(c);
}

static void chase_statics(struct chase *c)
{
    struct footprint_jvm *vm = &c->f->vm;
    c->row = FOOTPRINT_VM;
    if (vm->data_end - vm->data_start > DATA_MOST)
        return;
    for (uint64_t at = vm->data_start; at < vm->data_end && at != 0; at += PAGE - WORD)
        /* One word more, so that no pair is cut. */
        read_object(c, (struct object){at, OBJECT_WORDS, 0});
    drain(c);
}

/* ---- metadata of classes */

static struct range *range_at(struct chase *c, uint64_t address)
{
    for (uint32_t i = 0; i < c->range_count; i++)
        if (address - c->ranges[i].start < c->ranges[i].end - c->ranges[i].start)
            return &c->ranges[i];
    return NULL;
}

/* Marks the range of the address. If there is none, the mapping is taken, as far as it is free. */
static void mark(struct chase *c, uint64_t address, bool is_class)
{
    struct range *r = range_at(c, address);
    const struct smaps_region *region = r ? NULL : footprint_anonymous(c->f, address);
    uint64_t end;
    if (region && region->can_write &&
        footprint_claimed_by(c->f, address, &end) == FOOTPRINT_ROWS &&
        c->range_count < RANGES_MOST) {
        r = &c->ranges[c->range_count++];
        *r = (struct range){
            region->start, end < region->end ? end : region->end, c->row, false, 0, 0};
    }
    if (!r)
        return;
    r->classes += is_class;
    r->pools += !is_class;
}

static int see_class(void *arg, const struct loaded_class *k)
{
    struct chase *c = arg;
    const struct hs_layout *l = c->f->vm.target.layout;
    int32_t helper = target_field(&c->f->vm.target, "Klass", "_layout_helper", -1);
    mark(c, k->klass, true);
    /* The helper of an array is negative; an array has no constant pool. */
    if (l->klass_constants < 0 || helper < 0 ||
        (int32_t)target_u4(&c->f->vm.target, k->klass + (uint64_t)helper) < 0)
        return 0;
    uint64_t pool = target_u8(&c->f->vm.target, k->klass + (uint64_t)l->klass_constants);
    int32_t holder = l->pool_holder;
    if (pool % WORD == 0 && pool >= LOWEST && holder >= 0 &&
        target_u8(&c->f->vm.target, pool + (uint64_t)holder) == k->klass)
        mark(c, pool, false);
    return 0;
}

static void claim_ranges(struct chase *c)
{
    bool has_class_space =
        vm_flags_number(&c->f->vm.target, "UseCompressedClassPointers", 1, 1) != 0;
    for (uint32_t i = 0; i < c->range_count; i++) {
        const struct range *r = &c->ranges[i];
        enum footprint_row row = r->row;
        if (has_class_space && r->classes > r->pools)
            row = FOOTPRINT_CLASSES;
        else if (r->classes + r->pools > 0)
            row = FOOTPRINT_METASPACE;
        footprint_claim(c->f, r->start, r->end, row);
    }
    footprint_settle(c->f);
}

static bool open_chase(struct chase *c, struct footprint *f)
{
    const struct smaps *s = &f->smaps;
    *c = (struct chase){.f = f,
                        .run_ends = calloc(s->count, sizeof(*c->run_ends)),
                        .queue = calloc(OBJECTS_MOST + 16, sizeof(*c->queue)),
                        .seen = calloc(SEEN_SLOTS, sizeof(*c->seen)),
                        .ranges = calloc(RANGES_MOST, sizeof(*c->ranges))};
    if (!c->run_ends || !c->queue || !c->seen || !c->ranges)
        return false;
    for (uint32_t i = s->count; i-- > 0;) {
        const struct smaps_region *r = &s->rows[i];
        bool goes_on =
            i + 1 < s->count && s->rows[i + 1].start == r->end && c->run_ends[i + 1] != 0;
        if (footprint_anonymous(f, r->start))
            c->run_ends[i] = goes_on ? c->run_ends[i + 1] : r->end;
    }
    return true;
}

void footprint_chase(struct footprint *f)
{
    struct chase c;
    uint32_t broken;
    const char *missing;
    if (open_chase(&c, f)) {
        chase_collector(&c);
        chase_statics(&c);
        settle_ranges(&c);
        loaded_classes_each(&f->vm.target, see_class, &c, &broken, &missing);
        claim_ranges(&c);
    } else {
        f->is_bad = true;
    }
    free(c.run_ends);
    free(c.queue);
    free(c.seen);
    free(c.ranges);
}
