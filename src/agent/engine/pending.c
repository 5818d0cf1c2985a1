/*
 * pending.c - see pending.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/pending.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pending_init(struct pending *q, size_t bytes, enum lock_rank rank)
{
    *q = (struct pending){.room = malloc(bytes), .size = bytes};
    lock_init(&q->lock, rank);
    return q->room ? 0 : -ENOMEM;
}

void pending_done(struct pending *q)
{
    free(q->room);
    q->room = NULL;
    q->size = 0;
    lock_done(&q->lock);
}

/* Copy into the room, which is a ring: bytes behind its end go to its beginning. */
static void copy_in(struct pending *q, uint64_t at, const void *bytes, size_t len)
{
    size_t place = at % q->size, part = len < q->size - place ? len : q->size - place;
    if (len == 0)
        return;
    memcpy(q->room + place, bytes, part);
    memcpy(q->room, (const char *)bytes + part, len - part);
}

static void copy_out(const struct pending *q, uint64_t at, void *bytes, size_t len)
{
    size_t place = at % q->size, part = len < q->size - place ? len : q->size - place;
    memcpy(bytes, q->room + place, part);
    memcpy((char *)bytes + part, q->room, len - part);
}

bool pending_put(struct pending *q, const struct pending_piece *pieces, int count)
{
    uint64_t len = 0;
    bool has_room;
    for (int i = 0; i < count; i++)
        len += pieces[i].len;
    lock_take(&q->lock);
    has_room = q->size - (q->end - q->first) >= sizeof(len) + len;
    if (has_room) {
        copy_in(q, q->end, &len, sizeof(len));
        q->end += sizeof(len);
        for (int i = 0; i < count; i++) {
            copy_in(q, q->end, pieces[i].at, pieces[i].len);
            q->end += pieces[i].len;
        }
    }
    lock_give(&q->lock);
    return has_room;
}

size_t pending_take(struct pending *q, void *ret, size_t size)
{
    uint64_t len = 0;
    lock_take(&q->lock);
    if (q->first != q->end) {
        copy_out(q, q->first, &len, sizeof(len));
        copy_out(q, q->first + sizeof(len), ret, len < size ? len : size);
        q->first += sizeof(len) + len;
        /* start at the beginning again, so that untouched memory stays untouched */
        if (q->first == q->end)
            q->first = q->end = 0;
    }
    lock_give(&q->lock);
    return len;
}
