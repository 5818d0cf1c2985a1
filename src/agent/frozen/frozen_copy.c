/*
 * frozen_copy.c - see frozen_copy.h.
 *
 * What is read while the program runs may be torn or old; but then the page is written after it was
 * said to be clean, because pages are said to be clean before they are copied. Such a page is
 * copied again inside the pause.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_copy.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "agent/frozen/frozen_large.h"
#include "base/headroom.h"
#include "base/pages.h"
#include "hotspot/vm_flags.h"
#include "safe/clock.h"
#include "safe/own_memory.h"

enum {
    LARGE = 2 << 20, /* size of a granule of ZGC and of a large page */
    PAGE = 4096,
    PAGES = LARGE / PAGE,
    STALE_WORDS = PAGES / 64,
    TRIES = 3,       /* tries to read the list of pages, which changes meanwhile */
    MORE = 16,       /* room for growth: one 16th of what is in use, plus 16 granules */
    TURN = 64 << 20, /* bytes that are touched between two looks at the headroom */
    PASSES = 4,      /* through the heap before the pause, at most */
    FEW = 16,        /* a pass that copied less than one 16th of the heap is the last one */
    GAIN = 8,        /* so is one that copied less by less than one 8th than the pass before */
    JOIN_NS = 100 * 1000 * 1000, /* how long large pages are joined, with the agent's lock held */
};

/* The total length of all ranges. */
static uint64_t length_of(const struct heap_range *ranges, int64_t count)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += ranges[i].end - ranges[i].bottom;
    return bytes;
}

static const char *lacks(struct headroom *room, uint64_t bytes)
{
    headroom_look(room, clock_monotonic_ns());
    return headroom_lacks(room, bytes, 0);
}

/* Touches the room up to `wanted` bytes. Returns 1 if all of it has memory now. */
static int touch(struct frozen_copy *c, uint64_t wanted, struct headroom *room)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    while (c->touched < wanted) {
        uint64_t end = wanted - c->touched < TURN ? wanted : c->touched + TURN;
        if (lacks(room, end - c->touched))
            return 0;
        for (; c->touched < end; c->touched += page)
            *(volatile unsigned char *)(c->at + c->touched) = 0;
    }
    return 1;
}

/* ---- granules and their places */

static uint64_t granule_of(const struct frozen_copy *c, uint64_t address)
{
    return (address - c->heap->low) / LARGE;
}

static unsigned char *place_of(const struct frozen_copy *c, uint32_t place)
{
    return c->at + (uint64_t)(place - 1) * LARGE;
}

static uint64_t *stale_of(const struct frozen_copy *c, uint32_t place)
{
    return c->stale + (uint64_t)(place - 1) * STALE_WORDS;
}

static void set_stale(struct frozen_copy *c, uint32_t place, bool is_stale)
{
    memset(stale_of(c, place), is_stale ? 0xff : 0, STALE_WORDS * sizeof(uint64_t));
}

/* Gives a granule a place of which all is stale. Returns false if there is no place left. */
static bool take_place(struct frozen_copy *c, uint64_t granule, uint64_t room_bytes)
{
    if ((uint64_t)(c->used + 1) * LARGE > room_bytes)
        return false;
    c->places[granule] = ++c->used;
    set_stale(c, c->used, true);
    return true;
}

/* Notes that the pages in [low, high) of the heap's first view are stale. */
static void note_stale(struct frozen_copy *c, uint64_t low, uint64_t high)
{
    for (uint64_t at = low; at < high; at += PAGE) {
        uint32_t place = c->places[granule_of(c, at)];
        uint64_t page = at % LARGE / PAGE;
        if (place != 0)
            stale_of(c, place)[page / 64] |= (uint64_t)1 << (page % 64);
    }
}

/* ---- which pages were written */

/* A view of the heap, and how far its addresses are from the heap's. */
struct view {
    struct frozen_copy *copy;
    uint64_t delta;
};

static void see_written(void *arg, uint64_t low, uint64_t high)
{
    const struct view *v = arg;
    note_stale(v->copy, low - v->delta, high - v->delta);
}

/* Fills the distances of the views of the heap. Returns how many there are. */
static int views_of(const struct heap *h, uint64_t ret_deltas[FROZEN_COPY_VIEWS])
{
    uint64_t colour = h->oops.refs.colours & (~h->oops.refs.colours + 1);
    ret_deltas[0] = 0;
    if (!heap_is_z_one(h))
        return 1;
    for (int i = 0; i < FROZEN_COPY_VIEWS; i++)
        ret_deltas[i] = (colour << i) - h->low;
    return FROZEN_COPY_VIEWS;
}

/* The end of the ranges that lie side by side with ranges[*i]; *i goes behind them. */
static uint64_t run_end(const struct heap_range *ranges, int64_t count, int64_t *i)
{
    uint64_t end = ranges[*i].end;
    while (++*i < count && ranges[*i].bottom == end)
        end = ranges[*i].end;
    return end;
}

static void find_stale(struct frozen_copy *c, const struct heap_range *ranges, int64_t count)
{
    uint64_t deltas[FROZEN_COPY_VIEWS];
    int view_count = views_of(c->heap, deltas);
    for (int64_t i = 0; i < count;) {
        uint64_t low = ranges[i].bottom, high = run_end(ranges, count, &i);
        for (int k = 0; k < view_count; k++) {
            struct view view = {c, deltas[k]};
            frozen_track_written(&c->track, low + view.delta, high + view.delta, see_written,
                                 &view);
        }
    }
}

/* ---- before the pause */

/* Says that [low, high) is clean, and copies it. What cannot be read stays stale. */
static void copy_running(struct frozen_copy *c, uint64_t *stale, unsigned char *to, uint64_t low,
                         uint64_t high)
{
    uint64_t deltas[FROZEN_COPY_VIEWS];
    int view_count = views_of(c->heap, deltas), error = 0;
    for (int k = 0; k < view_count && !error; k++)
        error = frozen_track_clear(&c->track, low + deltas[k], high + deltas[k]);
    if (error || own_memory_read(low, to, high - low) != 0)
        return;
    c->before_bytes += high - low;
    for (uint64_t page = low % LARGE / PAGE; low < high; low += PAGE, page++)
        stale[page / 64] &= ~((uint64_t)1 << (page % 64));
}

static bool is_stale(const uint64_t *stale, uint64_t page)
{
    return stale[page / 64] >> (page % 64) & 1;
}

/* The first page from `from` on, below `pages`, that is not stale. */
static uint64_t stale_run_end(const uint64_t *stale, uint64_t from, uint64_t pages)
{
    while (from < pages && is_stale(stale, from))
        from++;
    return from;
}

static void copy_granule_running(struct frozen_copy *c, uint64_t at, uint32_t place)
{
    uint64_t *stale = stale_of(c, place);
    for (uint64_t from = 0, to; from < PAGES; from = to + 1) {
        to = stale_run_end(stale, from, PAGES);
        if (to > from)
            copy_running(c, stale, place_of(c, place) + from * PAGE, at + from * PAGE,
                         at + to * PAGE);
    }
}

/* Copies what is stale of the ranges. Returns how many bytes. */
static uint64_t pass(struct frozen_copy *c, const struct heap_range *ranges, int64_t count)
{
    uint64_t deltas[FROZEN_COPY_VIEWS], before = c->before_bytes;
    int view_count = views_of(c->heap, deltas);
    for (int k = 0; k < view_count; k++)
        (void)frozen_track_watch(&c->track, c->heap->low + deltas[k], c->heap->high + deltas[k]);
    find_stale(c, ranges, count);
    for (int64_t i = 0; i < count; i++) {
        for (uint64_t at = ranges[i].bottom; at < ranges[i].end; at += LARGE) {
            uint64_t granule = granule_of(c, at);
            if (c->places[granule] != 0 || take_place(c, granule, c->touched))
                copy_granule_running(c, at, c->places[granule]);
        }
    }
    return c->before_bytes - before;
}

static int64_t read_ranges(const struct frozen_copy *c, struct heap_range *ranges, uint32_t max)
{
    int64_t count = -1;
    for (int i = 0; i < TRIES && count < 0; i++)
        count = heap_ranges(c->heap, ranges, max);
    return count;
}

void frozen_copy_again(struct frozen_copy *c, struct heap_range *ranges, uint32_t max)
{
    int64_t count = frozen_track_is_open(&c->track) ? read_ranges(c, ranges, max) : -1;
    if (count > 0)
        pass(c, ranges, count);
}

static bool take_tables(struct frozen_copy *c)
{
    c->places = pages_map((c->heap->high - c->heap->low) / LARGE * sizeof(*c->places));
    c->stale = pages_map(c->bytes / LARGE * STALE_WORDS * sizeof(*c->stale));
    return c->places && c->stale;
}

static bool take_room(struct frozen_copy *c, uint64_t wanted, struct headroom *room)
{
    if (lacks(room, wanted))
        return false;
    /* memory behind `wanted` is touched only when the copy needs it */
    c->map_bytes = 2 * wanted + LARGE;
    c->map = pages_map_large(c->map_bytes);
    if (!c->map)
        return false;
    c->at = (unsigned char *)(((uintptr_t)c->map + LARGE - 1) & ~(uintptr_t)(LARGE - 1));
    c->bytes = 2 * wanted;
    headroom_expect(room, wanted); /* the program does not take memory as fast as this touches it */
    return take_tables(c) && touch(c, wanted, room);
}

void frozen_copy_prepare(struct frozen_copy *c, const struct heap *h, struct heap_range *ranges,
                         uint32_t max, struct headroom *room)
{
    *c = (struct frozen_copy){.heap = h, .track = {-1, -1, NULL}};
    int64_t count = h->granule_shift == __builtin_ctz(LARGE) ? read_ranges(c, ranges, max) : -1;
    if (count < 0)
        return;
    uint64_t wanted = length_of(ranges, count);
    wanted = (wanted + wanted / MORE + (uint64_t)MORE * LARGE) & ~(uint64_t)(LARGE - 1);
    if (!take_room(c, wanted, room)) {
        frozen_copy_done(c);
        return;
    }
    c->why_inside = frozen_track_open(&c->track);
    for (int i = 0; i < PASSES && frozen_track_is_open(&c->track) && count > 0; i++) {
        uint64_t copied = pass(c, ranges, count), least = c->rest_bytes - c->rest_bytes / GAIN;
        bool is_last = copied < wanted / FEW || (i > 1 && copied > least);
        c->rest_bytes = copied;
        count = is_last ? 0 : read_ranges(c, ranges, max);
    }
}

/* ---- inside the pause */

static void copy_granule(struct frozen_copy *c, uint64_t at, uint64_t top)
{
    uint32_t place = c->places[granule_of(c, at)];
    const uint64_t *stale = stale_of(c, place);
    uint64_t bytes = top <= at ? 0 : top - at < LARGE ? top - at : LARGE;
    uint64_t pages = (bytes + PAGE - 1) / PAGE;
    for (uint64_t from = 0, to; from < pages; from = to + 1) {
        to = stale_run_end(stale, from, pages);
        if (to == from)
            continue;
        uint64_t len = (to * PAGE < bytes ? to * PAGE : bytes) - from * PAGE;
        memcpy(place_of(c, place) + from * PAGE, (const void *)(uintptr_t)(at + from * PAGE), len);
        c->inside_bytes += len;
    }
}

static uint32_t places_lacking(const struct frozen_copy *c, const struct heap_range *ranges,
                               int64_t count)
{
    uint32_t lacking = 0;
    for (int64_t i = 0; i < count; i++) {
        for (uint64_t at = ranges[i].bottom; at < ranges[i].end; at += LARGE)
            lacking += c->places[granule_of(c, at)] == 0;
    }
    return lacking;
}

const char *frozen_copy_take(struct frozen_copy *c, const struct heap_range *ranges, int64_t count,
                             struct headroom *room)
{
    if (!c->map)
        return "no memory for a copy of the heap";
    if (count <= 0)
        return "the pages of the heap";
    uint64_t bytes = (uint64_t)(c->used + places_lacking(c, ranges, count)) * LARGE;
    if (bytes > c->bytes)
        return "the heap has grown too fast to be copied";
    if (bytes > c->touched && lacks(room, bytes - c->touched))
        return "the heap has grown, and there is no memory for a copy";
    if (frozen_track_is_open(&c->track))
        find_stale(c, ranges, count);
    for (int64_t i = 0; i < count; i++) {
        for (uint64_t at = ranges[i].bottom; at < ranges[i].end; at += LARGE) {
            uint64_t granule = granule_of(c, at);
            if (c->places[granule] != 0 || take_place(c, granule, c->bytes))
                copy_granule(c, at, ranges[i].top);
        }
    }
    return NULL;
}

/* Moves the pieces that lie side by side, in the heap and in the copy, to their place at once. */
static void place_range(const struct frozen_copy *c, uint64_t low, uint64_t high)
{
    for (uint64_t at = low, end; at < high; at = end) {
        uint32_t place = c->places[granule_of(c, at)], next = place;
        for (end = at; end < high && c->places[granule_of(c, end)] == next; next++)
            end += LARGE;
        if (place == 0 ||
            mremap(place_of(c, place), end - at, end - at, MREMAP_MAYMOVE | MREMAP_FIXED,
                   (void *)(uintptr_t)at) == MAP_FAILED)
            _exit(1);
    }
}

/* First removes the whole shared heap from the child. A stray access then ends the child, and
 * cannot read what the program has written since. */
void frozen_copy_place(const struct frozen_copy *c, const struct heap_range *ranges, int64_t count)
{
    uint64_t low = ranges[0].bottom, high = ranges[count - 1].end;
    uint64_t deltas[FROZEN_COPY_VIEWS];
    int view_count = views_of(c->heap, deltas);
    for (int k = 0; k < view_count; k++) {
        if (mmap((void *)(uintptr_t)(low + deltas[k]), high - low, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            _exit(1);
    }
    for (int64_t i = 0; i < count;) {
        uint64_t from = ranges[i].bottom, end = run_end(ranges, count, &i);
        place_range(c, from, end);
    }
}

static void leave(struct frozen_copy *c)
{
    uint64_t until_ns = clock_monotonic_ns() + JOIN_NS;
    bool has_large = vm_flags_number(c->heap->target, "UseTransparentHugePages", 1, 0) != 0;
    uint64_t deltas[FROZEN_COPY_VIEWS];
    int view_count = views_of(c->heap, deltas);
    uint64_t granules = (c->heap->high - c->heap->low) / LARGE;
    for (uint64_t from = 0, to; from < granules && frozen_track_is_open(&c->track); from = to + 1) {
        for (to = from; to < granules && c->places[to] != 0; to++)
            ;
        for (int k = 0; k < view_count && to > from; k++) {
            uint64_t low = c->heap->low + from * LARGE + deltas[k],
                     high = c->heap->low + to * LARGE + deltas[k];
            frozen_track_leave(&c->track, low, high);
            if (has_large)
                frozen_large_join(low, high, until_ns);
        }
    }
    frozen_track_close(&c->track);
}

void frozen_copy_done(struct frozen_copy *c)
{
    if (!c->heap)
        return;
    leave(c);
    pages_unmap(c->map, c->map_bytes);
    pages_unmap(c->places, (c->heap->high - c->heap->low) / LARGE * sizeof(*c->places));
    pages_unmap(c->stale, c->bytes / LARGE * STALE_WORDS * sizeof(*c->stale));
    *c = (struct frozen_copy){0};
}
