/*
 * heap_find.c - see heap_find.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_find.h"
#include <errno.h>
#include "base/err.h"

int heap_find_begin(struct heap_find *f)
{
    int error = heap_class_init(&f->classes, f->heap, f->arena, &f->why);
    if (!error)
        error = heap_mark_init(&f->mark, &f->classes, f->seen);
    for (uint32_t i = 0; i < f->klass_count && !error; i++)
        /* heap_mark's guesses at references accept only objects of these classes */
        heap_class_at(&f->classes, f->klasses[i]);
    return error;
}

static int mark_all(struct heap_find *f)
{
    heap_mark_run(&f->mark);
    heap_mark_classes(&f->mark, f->klasses, f->klass_count, f->with_unreachable);
    /* the object behind one unknown reference may hold much of the heap */
    if (f->heap->collector == HEAP_ZGC && f->mark.broken > 0) {
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
    int error = heap_parse_init(&f->parse, &f->mark);
    if (error) {
        f->why = "the allocation buffers of the threads";
        return error;
    }
    heap_parse_run(&f->parse, f->ranges, f->range_count);
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
