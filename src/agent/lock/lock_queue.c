/*
 * lock_queue.c - see lock_queue.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/lock/lock_queue.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lock_queue_init(struct lock_queue *q, size_t bytes)
{
    *q = (struct lock_queue){.room = malloc(bytes), .size = bytes};
    lock_init(&q->lock, LOCK_BLOCKED);
    return q->room ? 0 : -ENOMEM;
}

void lock_queue_done(struct lock_queue *q)
{
    free(q->room);
    q->room = NULL;
    q->size = 0;
    lock_done(&q->lock);
}

/* The room is a ring: a piece may go on at its beginning. */
static void copy_in(struct lock_queue *q, uint64_t at, const void *bytes, size_t len)
{
    size_t place = at % q->size, part = len < q->size - place ? len : q->size - place;

    memcpy(q->room + place, bytes, part);
    memcpy(q->room, (const char *)bytes + part, len - part);
}

static void copy_out(const struct lock_queue *q, uint64_t at, void *bytes, size_t len)
{
    size_t place = at % q->size, part = len < q->size - place ? len : q->size - place;

    memcpy(bytes, q->room + place, part);
    memcpy((char *)bytes + part, q->room, len - part);
}

bool lock_queue_put(struct lock_queue *q, const struct lock_queue_entry *e, const void *frames)
{
    size_t len = sizeof(*e) + e->frame_bytes;
    bool has_room;

    lock_take(&q->lock);
    has_room = q->size - (q->end - q->first) >= len;
    if (has_room) {
        copy_in(q, q->end, e, sizeof(*e));
        copy_in(q, q->end + sizeof(*e), frames, e->frame_bytes);
        q->end += len;
    }
    lock_give(&q->lock);
    return has_room;
}

bool lock_queue_take(struct lock_queue *q, struct lock_queue_entry *ret, void *ret_frames,
                     size_t size)
{
    bool is_there;

    lock_take(&q->lock);
    is_there = q->first != q->end;
    if (is_there) {
        copy_out(q, q->first, ret, sizeof(*ret));
        copy_out(q, q->first + sizeof(*ret), ret_frames,
                 ret->frame_bytes < size ? ret->frame_bytes : size);
        q->first += sizeof(*ret) + ret->frame_bytes;
    }
    lock_give(&q->lock);
    return is_there;
}
