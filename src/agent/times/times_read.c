/*
 * times_read.c - see times_read.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_read.h"
#include <errno.h>
#include <stdlib.h>

/* What a node has had since it was made, and what its children have had. */
struct sums {
    int64_t count, time, entered; /* calls; time of those that ended; when the last one began */
    int64_t child_time, child_open,
        child_now; /* the same; until now and the beginning of open ones */
};

/* Its thread goes on: what is read belongs together if the time stays the same meanwhile. */
static void read_node(const struct times_node *nodes, const struct times_node *n, int64_t now,
                      struct times_row *row, struct sums *s)
{
    enum { TRIES = 4 };
    int64_t time, again;

    row->id = __atomic_load_n(&n->id, __ATOMIC_ACQUIRE);
    if (row->id == TIMES_FREE)
        return;
    again = __atomic_load_n(&n->time, __ATOMIC_ACQUIRE);
    for (int i = 0; i < TRIES; i++) {
        time = again;
        s->count = __atomic_load_n(&n->count, __ATOMIC_ACQUIRE);
        s->entered = __atomic_load_n(&n->entered, __ATOMIC_ACQUIRE);
        again = __atomic_load_n(&n->time, __ATOMIC_ACQUIRE);
        if (again == time)
            break;
    }
    if (now != 0)
        row->is_open = again < 0;
    s->time = again < 0 ? again + s->entered : again;
    row->parent = (uint32_t)(n->parent - nodes);
    row->thread = n->thread;
}

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

static void add_to_parent(const struct times_row *row, const struct sums *s, struct sums *parent,
                          int64_t now)
{
    parent->child_time += s->time;
    if (row->is_open) {
        parent->child_open += at_least_0(now - s->entered);
        parent->child_now = s->entered;
    }
}

static void split_self(struct times_row *row, const struct sums *s, int64_t now)
{
    int64_t open, all, ended = at_least_0(s->time - s->child_time), most;

    if (!row->is_open) {
        row->self = ended;
        return;
    }
    open = at_least_0(now - s->entered);
    all = at_least_0(s->time + open - s->child_time - s->child_open);
    most = s->child_now ? at_least_0(s->child_now - s->entered) : open;
    row->open_self = at_least_0(all - ended);
    if (row->open_self > most && s->count > 1)
        row->open_self = most;
    row->self = all - row->open_self;
}

static void subtract_base(struct times_node *n, struct times_read_base *base, struct times_row *row,
                          const struct sums *s, int clear)
{
    struct times_read_base next = {.time = s->time, .self = row->self};
    int64_t count = s->count - row->is_open;

    row->calls = at_least_0(count - n->base_count);
    row->time = at_least_0(s->time - base->time);
    row->self = at_least_0(row->self - base->self);
    if (clear) {
        n->base_count = count;
        *base = next;
    }
}

int times_read(struct times_node *nodes, struct times_read_base *bases, uint32_t count, int64_t now,
               int clear, struct times_row *rows)
{
    struct sums *sums = calloc((size_t)count + 1, sizeof(*sums));

    if (!sums)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        read_node(nodes, &nodes[i], now, &rows[i], &sums[i]);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id >= 0 && rows[i].parent < count)
            add_to_parent(&rows[i], &sums[i], &sums[rows[i].parent], now);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].id < 0)
            continue;
        split_self(&rows[i], &sums[i], now);
        subtract_base(&nodes[i], &bases[i], &rows[i], &sums[i], clear);
    }
    free(sums);
    return 0;
}
