/*
 * heap_find.c - see heap_find.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_find.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/java_threads.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include "safe/mem.h"
#include "safe/release.h"
#include "safe/search.h"

enum {
    GAPS_FIRST = 64,
    OBJECTS_A_TURN = 1024,    /* objects after which progress is shown */
    COUNTED_A_TURN = 1 << 16, /* the same, while objects are only counted */
};

/* Offsets of a thread's allocation buffer, and the count of bytes that the VM reserves behind its
 * end. */
struct buffer_facts {
    struct heap_find_parse *walk;
    int32_t buffer, top, end;
    uint64_t reserve;
};

/* ---- the unused ends of allocation buffers */

/* Words behind the end of a buffer that the VM reserves for a filler, for VMs that do not tell. */
static uint64_t filler_words(const struct heap *h)
{
    if (h->target->layout->version < RELEASE_FILLER_OBJECTS) /* the header of an int[] */
        return ((uint64_t)h->oops.array_data + 7) / 8;
    /* The header of an Object. Nothing is reserved if the alignment leaves room for a header
     * anyway. */
    uint64_t words = h->oops.refs.header == HS_REFS_HEADER_COMPACT ? 1 : 2;
    return words > h->align / 8 ? words : 0;
}

/* Bytes behind the end of a buffer that the VM reserves for a filler and, until JDK 26, for
 * prefetching. */
static uint64_t reserve_of(const struct heap *h)
{
    const struct target *t = h->target;
    uint64_t words = target_static_value(t, "CollectedHeap", "_lab_alignment_reserve", 8);
    uint64_t prefetch =
        target_static_value(t, "ThreadLocalAllocBuffer", "_reserve_for_allocation_prefetch", 4);
    if (words == 0)
        words = filler_words(h);
    if (prefetch > words)
        words = prefetch;
    return (words * 8 + h->align - 1) & ~(uint64_t)(h->align - 1);
}

static int find_facts(struct heap_find_parse *w, struct buffer_facts *f)
{
    const struct target *t = w->mark->heap->target;
    int32_t size = target_field(t, "ThreadLocalAllocBuffer", "_desired_size", -1);
    *f = (struct buffer_facts){.walk = w, .reserve = reserve_of(w->mark->heap)};
    f->buffer = target_field(t, "Thread", "_tlab", -1);
    f->top = target_field(t, "ThreadLocalAllocBuffer", "_top", -1);
    f->end = target_field(t, "ThreadLocalAllocBuffer", "_end", -1);
    if (f->buffer < 0 || f->top < 0 || f->end < 0)
        return E_FACT_MISSING;
    /* Since JDK 11 `_end` is where the next allocation sample is due; the true end is the next
     * field. */
    if (size == f->end + 16)
        f->end += 8;
    return 0;
}

static int add_gap(struct heap_find_parse *w, struct heap_range gap)
{
    uint32_t at = w->gap_count;
    if (at == w->gap_max) {
        uint32_t room = at == 0 ? GAPS_FIRST : at * 2;
        struct heap_range *more = arena_alloc(w->mark->classes->arena, room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        if (at > 0)
            memcpy(more, w->gaps, at * sizeof(*more));
        w->gaps = more;
        w->gap_max = room;
    }
    w->gaps[at] = gap;
    w->gap_count++;
    return 0;
}

/* Lets the gap at `at` sink below larger ones, in a heap (the tree) of `count` gaps. */
static void sink_gap(struct heap_range *gaps, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && gaps[child].top < gaps[child + 1].top)
            child++;
        if (gaps[at].top >= gaps[child].top)
            return;
        struct heap_range gap = gaps[at];
        gaps[at] = gaps[child];
        gaps[child] = gap;
    }
}

/* Heapsort: qsort() may call malloc(), and a damaged VM may have a million threads. */
static void sort_gaps(struct heap_range *gaps, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; i--)
        sink_gap(gaps, i - 1, count);
    for (uint32_t last = count; last > 1; last--) {
        struct heap_range gap = gaps[0];
        gaps[0] = gaps[last - 1];
        gaps[last - 1] = gap;
        sink_gap(gaps, 0, last - 1);
    }
}

static int add_buffer(void *arg, uint64_t thread)
{
    const struct buffer_facts *f = arg;
    const struct heap *h = f->walk->mark->heap;
    uint64_t buffer = thread + (uint64_t)f->buffer;
    struct heap_range gap = {.top = target_u8(h->target, buffer + (uint64_t)f->top),
                             .end = target_u8(h->target, buffer + (uint64_t)f->end)};
    if (!heap_has(h, gap.top) || gap.end < gap.top || gap.end > h->high)
        return 0; /* the thread has no buffer now */
    gap.end += f->reserve;
    return add_gap(f->walk, gap);
}

/* Find the gaps. Errors: 0; -ENOMEM; E_FACT_MISSING. */
static int parse_init(struct heap_find_parse *w, struct heap_mark *mark)
{
    struct buffer_facts facts;
    *w = (struct heap_find_parse){.mark = mark};
    int error = find_facts(w, &facts);
    if (!error)
        error = java_threads_each(mark->heap->target, add_buffer, &facts);
    sort_gaps(w->gaps, w->gap_count);
    return error;
}

bool heap_find_is_gap(const struct heap_find_parse *w, uint64_t address)
{
    uint32_t upto = SEARCH_UPTO(w->gaps, w->gap_count, top, address);
    return upto > 0 && address < w->gaps[upto - 1].end;
}

/* ---- the walk */

static const struct heap_range *range_of(const struct heap_find_parse *w)
{
    return &w->ranges[w->range];
}

/* The end of the gap if `at` lies in one; otherwise `at`. */
static uint64_t behind_gaps(struct heap_find_parse *w, uint64_t at)
{
    while (w->gap < w->gap_count && w->gaps[w->gap].top <= at) {
        if (at < w->gaps[w->gap].end)
            at = w->gaps[w->gap].end;
        w->gap++;
    }
    return at;
}

/* There is no object at `at`: go on at the next marked object, or at the beginning of the next gap
 * if that comes first. Behind a gap an object begins for certain. */
static uint64_t jump(struct heap_find_parse *w, uint64_t at)
{
    uint64_t to = heap_mark_next(w->mark, at + 8, range_of(w)->top);
    if (w->gap < w->gap_count && w->gaps[w->gap].top < to)
        to = w->gaps[w->gap].top;
    w->jumps++;
    w->skipped += to - at;
    return to;
}

/* The size of the object; 0: its header does not fit below `top`, or makes no sense. */
static uint64_t bytes_of(const struct heap_find_parse *w, const struct heap_class *k,
                         uint64_t object, uint64_t top)
{
    uint64_t head = k->array.header_bytes ? k->array.header_bytes : k->bytes, bytes;
    if (head > top - object)
        return 0;
    if (k->array.header_bytes && heap_array_length(w->mark->heap, object) > INT32_MAX)
        return 0;
    bytes = heap_class_object_bytes(w->mark->classes, k, object);
    return bytes < head ? 0 : bytes;
}

/* For a humongous object, which fills one or more whole regions: the end of its last region; no
 * other object begins there. Returns 0 if its regions do not follow one another. */
static uint64_t end_of_humongous(struct heap_find_parse *w, uint64_t object, uint64_t bytes)
{
    uint32_t i = w->range;
    uint64_t to = object + bytes;
    if (object != w->ranges[i].bottom)
        return 0;
    while (i + 1 < w->range_count && w->ranges[i].end < to &&
           w->ranges[i + 1].bottom <= w->ranges[i].end)
        i++;
    if (w->ranges[i].end < to)
        return 0;
    w->range = i;
    return w->ranges[i].end;
}

/* The class that the header at `at` names, if it is loaded; NULL: there is no object. */
static const struct heap_class *class_at(const struct heap_find_parse *w, uint64_t at, uint64_t top)
{
    const struct heap *h = w->mark->heap;
    uint64_t head = h->oops.refs.header == HS_REFS_HEADER_COMPACT ? 8 : 16;
    return top - at < head ? NULL : heap_class_known(w->mark->classes, heap_klass(h, at));
}

/* The object whose header describes what lies at `at`: the object itself; or, with compact headers,
 * the object to which the forwarding header leads. */
static uint64_t header_of(const struct heap_find_parse *w, uint64_t at, bool *ret_is_moved)
{
    const struct heap *h = w->mark->heap;
    uint64_t to = heap_resolve(h, at);
    *ret_is_moved = to != at;
    return h->oops.refs.header == HS_REFS_HEADER_COMPACT && heap_mark_has(w->mark, to) ? to : at;
}

/* Passes one object, or skips bytes. Returns where the next object begins. */
static uint64_t step(struct heap_find_parse *w, uint64_t at)
{
    struct heap_mark *m = w->mark;
    bool is_moved;
    uint64_t header = header_of(w, at, &is_moved), top = range_of(w)->top, end;
    uint64_t limit = header == at ? top : m->heap->high;
    const struct heap_class *k = class_at(w, header, limit);
    uint64_t bytes = k ? bytes_of(w, k, header, limit) : 0;
    if (bytes == 0)
        return jump(w, at);
    end = at + bytes;
    if (end > top) {
        end = end_of_humongous(w, at, bytes);
        if (end == 0)
            return jump(w, at);
        /* a marked object inside of this one: this is no object */
    } else if (heap_mark_next(m, at + 8, end) < end) {
        return jump(w, at);
    }
    if (k->is_filler) {
        w->fillers++;
    } else if (heap_mark_has(m, at)) {
        w->reached++;
    } else if (!is_moved) {
        heap_mark_set(m, at);
        w->objects++;
        w->bytes += bytes;
    }
    return end;
}

/* Walk through all `ranges`, which come from heap_ranges(), and mark every object. */
static void parse_run(struct heap_find_parse *w, const struct heap_range *ranges, uint32_t count)
{
    uint64_t at = 0;
    uint32_t turn = 0;
    w->ranges = ranges;
    w->range_count = count;
    for (w->range = 0; w->range < count; w->range++) {
        if (at < range_of(w)->bottom)
            at = range_of(w)->bottom;
        for (at = behind_gaps(w, at); at < range_of(w)->top; at = behind_gaps(w, at)) {
            at = step(w, at);
            if (++turn % OBJECTS_A_TURN == 0)
                heap_mark_go_on(w->mark);
        }
    }
}

/* ---- reachable objects, and all */

int heap_find_begin(struct heap_find *f)
{
    int error = heap_class_init(&f->classes, f->heap, f->arena, &f->why);
    if (!error)
        error = heap_mark_init(&f->mark, &f->classes, f->seen);
    for (uint32_t i = 0; i < f->klass_count && !error; i++)
        /* heap_mark's guesses at references accept only objects of these classes */
        heap_class_at(&f->classes, f->klasses[i]);
    if (f->is_foreign) {
        f->classes.is_closed = true;
        f->mark.bytes_max = f->bytes_max;
    }
    return error ? error : f->classes.out_of_memory ? -ENOMEM : 0;
}

static int mark_all(struct heap_find *f)
{
    heap_mark_run(&f->mark);
    heap_mark_classes(&f->mark, f->klasses, f->klass_count, f->with_unreachable);
    /* the object behind one unknown reference may hold much of the heap */
    if (f->heap->collector == HEAP_ZGC && f->mark.broken > 0 && !f->is_foreign) {
        f->why = "coloured references of which nobody knows where they lead";
        return E_VM_STATE;
    }
    return f->mark.full || f->classes.out_of_memory ? -ENOMEM : 0;
}

/* Gets the pieces of the heap. If `with_unreachable` is set, also finds the objects that are not
 * marked. */
static int parse_all(struct heap_find *f)
{
    int64_t count = heap_ranges(f->heap, f->ranges, f->range_max);
    if (count < 0) {
        f->why = "the regions of the heap";
        return (int)count;
    }
    f->range_count = (uint32_t)count;
    if (!f->with_unreachable)
        return 0;
    int error = parse_init(&f->parse, &f->mark);
    if (error) {
        f->why = "the allocation buffers of the threads";
        return error;
    }
    parse_run(&f->parse, f->ranges, f->range_count);
    return 0;
}

int heap_find_run(struct heap_find *f)
{
    int error = mark_all(f);
    if (!error)
        error = parse_all(f);
    /* an error is better than a dump in which flat values are missing */
    if (!error && f->classes.missing) {
        f->why = f->classes.missing;
        error = E_FACT_MISSING;
    }
    return error;
}

/* ---- counts of each class */

/* Gives each class its row: that of its index in the caller's list, or the last one. */
static void give_rows(struct heap_find *find, struct heap_find_sum *rows)
{
    for (struct heap_class *k = find->classes.first; k; k = k->next)
        k->user = &rows[find->klass_count];
    for (uint32_t i = 0; i < find->klass_count; i++) {
        struct heap_class *k =
            find->klasses[i] ? heap_class_at(&find->classes, find->klasses[i]) : NULL;
        if (k)
            k->user = &rows[i];
    }
    heap_class_share_users(&find->classes);
}

static void count_range(struct heap_find *find, const struct heap_range *range)
{
    struct heap_mark_cursor cursor = heap_mark_cursor(&find->mark, range->bottom, range->top);
    uint32_t turn = 0;
    uint64_t object;
    while ((object = heap_mark_cursor_next(&cursor)) != 0) {
        const struct heap_class *k =
            heap_class_find(&find->classes, heap_klass(find->heap, object));
        if (++turn % COUNTED_A_TURN == 0)
            heap_mark_go_on(&find->mark);
        if (!k)
            continue;
        struct heap_find_sum *row = k->user;

        row->objects++;
        row->bytes += heap_class_object_bytes(&find->classes, k, object);
    }
}

int heap_find_count(struct heap_find *find, struct heap_find_sum *ret_rows)
{
    give_rows(find, ret_rows);
    if (find->classes.out_of_memory)
        return -ENOMEM;
    for (uint32_t i = 0; i < find->range_count; i++)
        count_range(find, &find->ranges[i]);
    return 0;
}
