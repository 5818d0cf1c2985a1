/*
 * heat.c - see heat.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/heat.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/sink.h"
#include "format/page_number.h"
#include "safe/clock.h"

/* Lengths of time that people are used to, in ms. */
static const uint64_t steps_ms[] = {20,    50,    100,   200,   500,    1000,   2000,   5000,
                                    10000, 20000, 30000, 60000, 120000, 300000, 600000, 3600000};

void heat_init(struct heat *h, uint64_t first_ns, uint64_t last_ns, uint32_t cells_most)
{
    const size_t count = sizeof(steps_ms) / sizeof(*steps_ms);
    uint64_t span_ns = last_ns - first_ns;
    size_t i = 0;
    while (i + 1 < count && span_ns / (steps_ms[i] * NS_PER_MS) >= cells_most)
        i++;
    *h = (struct heat){.first_ns = first_ns, .cell_ns = steps_ms[i] * NS_PER_MS};
    while (span_ns / h->cell_ns >= cells_most)
        h->cell_ns *= 2;
    h->cells = (uint32_t)(span_ns / h->cell_ns) + 1;
}

void heat_done(struct heat *h)
{
    free(h->list);
    h->list = NULL;
}

int heat_add(struct heat *h, uint32_t node, uint64_t time_ns, uint64_t value)
{
    if (h->count == h->room) {
        size_t room = h->room ? h->room * 2 : 4096;
        struct heat_entry *list = realloc(h->list, room * sizeof(*list));
        if (!list)
            return -ENOMEM;
        h->list = list;
        h->room = room;
    }
    h->list[h->count++] =
        (struct heat_entry){(uint32_t)((time_ns - h->first_ns) / h->cell_ns), node, value};
    return 0;
}

static int by_cell(const void *left, const void *right)
{
    const struct heat_entry *x = left, *y = right;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Sorts the entries, and adds up those with the same cell and node. */
static void merge(struct heat *h)
{
    size_t kept = 0;
    if (h->count > 1)
        qsort(h->list, h->count, sizeof(*h->list), by_cell);
    for (size_t i = 0; i < h->count; i++) {
        if (kept > 0 && by_cell(&h->list[kept - 1], &h->list[i]) == 0)
            h->list[kept - 1].value += h->list[i].value;
        else
            h->list[kept++] = h->list[i];
    }
    h->count = kept;
}

/* Whether values are written by repetition: an entry with the value 3 is written three times, and
 * no entry needs a value. This is shorter if values are small: none above 8, and 2 on average at
 * most. */
static bool is_counted(const struct heat *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->list[i].value > 8 || (sum += h->list[i].value) > 2 * (uint64_t)h->count)
            return false;
    return true;
}

/* A node and the number of its entries. After sorting by that number, the index of a node in the
 * list is its short name. */
struct rank {
    uint32_t node, count;
};

static int by_count(const void *left, const void *right)
{
    const struct rank *x = left, *y = right;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* ranks[0] to ranks[*ret_used - 1] are the nodes with entries, the most frequent first. NULL: no
 * memory. */
static struct rank *rank_nodes(const struct heat *h, uint32_t nodes, uint32_t *ret_used)
{
    struct rank *ranks = calloc(nodes + (size_t)1, sizeof(*ranks));
    uint32_t used = 0;
    if (!ranks)
        return NULL;
    for (size_t i = 0; i < h->count; i++)
        ranks[h->list[i].node].count++;
    for (uint32_t node = 0; node <= nodes; node++)
        ranks[node].node = node;
    qsort(ranks, nodes + (size_t)1, sizeof(*ranks), by_count);
    while (used <= nodes && ranks[used].count > 0)
        used++;
    *ret_used = used;
    return ranks;
}

/* An entry is written as twice the rank of its node, which counts from 1, and 1 more if its cell is
 * the next one. 0 means a gap: the number of cells to go on follows. */
static void put_entries(const struct heat *h, struct sink *s, const uint32_t *rank_of, bool counted)
{
    uint32_t cell = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct heat_entry *e = &h->list[i];
        if (e->cell > cell + 1) {
            page_number_put(s, 0);
            page_number_put(s, e->cell - cell);
            cell = e->cell;
        }
        for (uint64_t times = counted ? e->value : 1; times > 0; times--) {
            page_number_put(s, (uint64_t)rank_of[e->node] * 2 + (e->cell > cell));
            cell = e->cell;
        }
        if (!counted)
            page_number_put(s, e->value);
    }
}

static uint64_t count_entries(const struct heat *h, bool counted)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < h->count; i++)
        sum += counted ? h->list[i].value : 1;
    return sum;
}

int heat_put(struct heat *h, struct sink *s, const uint32_t *numbers, uint32_t nodes)
{
    uint32_t used = 0;
    merge(h);
    bool counted = is_counted(h);
    struct rank *ranks = rank_nodes(h, nodes, &used);
    uint32_t *rank_of = calloc(nodes + (size_t)1, sizeof(*rank_of));
    int r = ranks && rank_of ? 0 : -ENOMEM;

    if (r == 0) {
        sink_printf(s, "{\"start\":%llu.%06llu,\"cell\":%llu,\"cells\":%u,\"counted\":%s,",
                    (unsigned long long)(h->first_ns / NS_PER_MS),
                    (unsigned long long)(h->first_ns % NS_PER_MS),
                    (unsigned long long)(h->cell_ns / NS_PER_MS), h->cells,
                    counted ? "true" : "false");
        sink_printf(s, "\"count\":%llu,\n\"stacks\":[",
                    (unsigned long long)count_entries(h, counted));
        for (uint32_t i = 0; i < used; i++) {
            rank_of[ranks[i].node] = i + 1;
            sink_printf(s, "%s%u", i ? "," : "", numbers[ranks[i].node]);
        }
        sink_text(s, "],\n\"entries\":\"");
        put_entries(h, s, rank_of, counted);
        sink_text(s, "\"}");
    }
    free(ranks);
    free(rank_of);
    return r;
}
