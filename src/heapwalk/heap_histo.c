/*
 * heap_histo.c - see heap_histo.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_histo.h"
#include <errno.h>

enum { OBJECTS_A_TURN = 1 << 16 }; /* objects after which progress is shown */

/* Gives each class its row: that of its index in the caller's list, or the last one. */
static void give_rows(struct heap_find *find, struct heap_histo_row *rows)
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
        if (++turn % OBJECTS_A_TURN == 0)
            heap_mark_go_on(&find->mark);
        if (!k)
            continue;
        struct heap_histo_row *row = k->user;

        row->objects++;
        row->bytes += heap_class_object_bytes(&find->classes, k, object);
    }
}

int heap_histo_count(struct heap_find *find, struct heap_histo_row *ret_rows)
{
    give_rows(find, ret_rows);
    if (find->classes.out_of_memory)
        return -ENOMEM;
    for (uint32_t i = 0; i < find->range_count; i++)
        count_range(find, &find->ranges[i]);
    return 0;
}
