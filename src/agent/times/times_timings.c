/*
 * times_timings.c - see times_report.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_report.h"
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/names/methods.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "agent/times/times_tree.h"

/* A method that has been called; the row has no name yet. */
struct called {
    uint32_t number;
    struct event_timing row;
};

/* Convert a time to ns, and subtract `cost`, what the tracker costs in so many calls. */
static uint64_t ns_of(int64_t time, double unit_ns, double cost)
{
    double ns = (double)time * unit_ns - cost;
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Limit `n`: the words of a spread are read at slightly different moments. */
static uint64_t within(uint64_t n, uint64_t least, uint64_t most)
{
    return n < least ? least : n > most ? most : n;
}

static uint32_t find_called(const struct times_method_spread *spreads, uint32_t methods,
                            double inside, double unit_ns, struct called *ret)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < methods; i++) {
        const struct times_method_spread *s = &spreads[i];
        struct event_timing row = {
            .calls = (uint64_t)s->calls,
            .total = ns_of(s->total, unit_ns, (double)s->calls * inside),
            .least = ns_of(s->least, unit_ns, inside),
            .most = ns_of(s->most, unit_ns, inside),
        };
        row.total = within(row.total, row.calls * row.least, row.calls * row.most);
        if (row.calls > 0)
            ret[count++] = (struct called){i, row};
    }
    return count;
}

static int by_total(const void *left, const void *right)
{
    const struct called *x = left, *y = right;
    if (x->row.total != y->row.total)
        return x->row.total > y->row.total ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Give the rows their names. When the model is nearly full, its room is left for later tables. */
static uint32_t name(struct agent *a, const struct called *called, uint32_t count,
                     struct event_timing *ret_rows)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < count && !profile_is_crowded(a->profile); i++) {
        ret_rows[named] = called[i].row;
        ret_rows[named].method = names_injected(a, called[i].number);
        if (ret_rows[named].method)
            named++;
    }
    return named;
}

int times_timings_tell(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       double unit_ns, uint32_t *ret_left_out)
{
    uint32_t methods = methods_count(), count, named;
    struct times_method_spread *spreads = calloc((size_t)methods + 1, sizeof(*spreads));
    struct called *called = calloc((size_t)methods + 1, sizeof(*called));
    struct event_timing *rows = calloc((size_t)methods + 1, sizeof(*rows));
    int error = spreads && called && rows ? 0 : -ENOMEM;
    if (!error) {
        times_tree_read_spreads(spreads, methods);
        count = find_called(spreads, methods, cost->inside, unit_ns, called);
        qsort(called, count, sizeof(*called), by_total);
        named = name(a, called, count, rows);
        recording_timings(r, rows, named);
        *ret_left_out = count - named;
    }
    free(spreads);
    free(called);
    free(rows);
    return error;
}
