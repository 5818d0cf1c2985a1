/*
 * times_report.c - see times_report.h.
 *
 * One pass down the trees gives every node its thread and its order, one pass up its sums.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/methods.h"
#include "agent/times/times_clock.h"
#include "agent/times/times_tree.h"

enum {
    OLD_DEPTH = 2, /* callee and caller */
    NS_PER_MS = 1000000,
};

/* What a node is worth, in ns. */
struct worth {
    double raw, self, total; /* own time as measured and corrected; with callees, corrected */
    double child_time;       /* of the children, as measured */
    int64_t child_calls;
};

struct report {
    struct agent *a;
    struct times_row *rows;
    uint32_t count;
    uint32_t *first, *next, *order; /* children as lists of indices, 0 ends: row 0 is a root */
    uint32_t ordered;
    struct worth *worth;
    frame_id *frame_of; /* by the number of a method */
    uint32_t frame_count;
    uint32_t *row_of; /* the table's row of each trace, from 1 */
    uint32_t row_of_count;
    struct hprof_out_times table;
    uint32_t table_room;
};

static int is_node(const struct times_row *row)
{
    return row->id >= 0;
}

/* Parents before children, however the arena was reused. */
static void put_in_order(struct report *r)
{
    for (uint32_t i = r->count; i-- > 0;) {
        struct times_row *row = &r->rows[i];

        if (is_node(row) && row->parent < r->count && row->parent != i) {
            r->next[i] = r->first[row->parent];
            r->first[row->parent] = i;
        }
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (r->rows[i].id == TIMES_ROOT)
            r->order[r->ordered++] = i;
    for (uint32_t at = 0; at < r->ordered; at++) {
        uint32_t parent = r->order[at];

        for (uint32_t i = r->first[parent]; i != 0; i = r->next[i]) {
            r->rows[i].thread = r->rows[parent].thread;
            r->order[r->ordered++] = i;
        }
    }
}

static void weigh(struct report *r, const struct times_report_cost *cost, double unit_ns)
{
    for (uint32_t at = r->ordered; at-- > 0;) {
        uint32_t i = r->order[at];
        const struct times_row *row = &r->rows[i];
        struct worth *w = &r->worth[i], *parent = &r->worth[row->parent];
        double time = row->time > 0 ? (double)row->time * unit_ns : 0;

        if (!is_node(row))
            continue;
        w->raw = time > w->child_time ? time - w->child_time : 0;
        w->self =
            w->raw - (double)row->calls * cost->inside - (double)w->child_calls * cost->outside;
        if (w->self < 0)
            w->self = 0;
        w->total += w->self;
        parent->total += w->total;
        parent->child_time += time;
        parent->child_calls += row->calls;
    }
}

/* ---- names */

static frame_id make_frame(struct agent *a, uint32_t number)
{
    struct methods_names n = methods_names(number);
    char dotted[1024], *name = dotted;
    size_t len = strlen(n.class_name);
    method_id method;

    if (len >= sizeof(dotted) && !(name = malloc(len + 1)))
        return 0;
    for (size_t i = 0; i <= len; i++)
        name[i] = n.class_name[i] == '/' ? '.' : n.class_name[i];
    method =
        profile_method(a->profile, names_class_named(a, profile_string(a->profile, name, len)),
                       profile_cstring(a->profile, n.name), profile_cstring(a->profile, n.desc),
                       n.source[0] ? profile_cstring(a->profile, n.source) : 0);
    if (name != dotted)
        free(name);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

static frame_id frame_of(struct report *r, int32_t number)
{
    if ((uint32_t)number >= r->frame_count)
        return 0;
    if (!r->frame_of[number])
        r->frame_of[number] = make_frame(r->a, (uint32_t)number);
    return r->frame_of[number];
}

static trace_id trace_of(struct report *r, uint32_t i, uint32_t depth, frame_id *frames)
{
    uint32_t n = 0;

    for (uint32_t at = i; n < depth && is_node(&r->rows[at]); at = r->rows[at].parent) {
        frames[n] = frame_of(r, r->rows[at].id);
        if (!frames[n++])
            return 0;
    }
    return profile_trace(r->a->profile, r->a->options.thread ? r->rows[i].thread : 0, frames, n);
}

/* ---- the table */

static struct hprof_out_row *row_of(struct report *r, trace_id trace)
{
    struct hprof_out_times *t = &r->table;

    if (trace >= r->row_of_count) {
        uint32_t room = trace * 2 + 1024;
        uint32_t *more = realloc(r->row_of, room * sizeof(*more));

        if (!more)
            return NULL;
        memset(more + r->row_of_count, 0, (room - r->row_of_count) * sizeof(*more));
        r->row_of = more;
        r->row_of_count = room;
    }
    if (!r->row_of[trace]) {
        if (t->count == r->table_room) {
            uint32_t room = r->table_room * 2 + 1024;
            struct hprof_out_row *more = realloc(t->rows, room * sizeof(*more));

            if (!more)
                return NULL;
            t->rows = more;
            r->table_room = room;
        }
        t->rows[t->count] = (struct hprof_out_row){.trace = trace};
        r->row_of[trace] = ++t->count;
    }
    return &t->rows[r->row_of[trace] - 1];
}

static void collect(struct report *r, int counts_only, struct times_report_totals *totals)
{
    int is_old = r->a->options.cpu_table == OPTIONS_OLD;
    uint32_t depth = is_old ? OLD_DEPTH : (uint32_t)r->a->options.depth;
    frame_id *frames = malloc((depth + 1) * sizeof(*frames));

    for (uint32_t at = 0; frames && at < r->ordered; at++) {
        uint32_t i = r->order[at];
        const struct times_row *row = &r->rows[i];
        const struct worth *w = &r->worth[i];
        uint64_t calls = row->calls > 0 ? (uint64_t)row->calls : 0;
        uint64_t self = (uint64_t)w->self;
        struct hprof_out_row *to;
        trace_id trace;

        if (!is_node(row) || (calls == 0 && self == 0))
            continue;
        totals->calls += calls;
        totals->raw_ns += (uint64_t)w->raw;
        totals->corrected_ns += self;
        totals->nodes++;
        r->table.total += counts_only ? calls : self;
        trace = trace_of(r, i, depth, frames);
        to = trace ? row_of(r, trace) : NULL;
        if (!to) {
            totals->lost_calls += calls;
            continue;
        }
        to->count += calls;
        to->cost += counts_only ? calls : is_old ? (uint64_t)w->total : self;
    }
    free(frames);
    r->table.total_ms = counts_only ? 0 : (r->table.total + NS_PER_MS / 2) / NS_PER_MS;
}

static int set_up(struct report *r, int64_t now)
{
    int error = times_tree_read(now, 1, &r->rows, &r->count);
    size_t n = (size_t)r->count + 1;

    if (error)
        return error;
    r->frame_count = methods_count();
    r->first = calloc(n, sizeof(*r->first));
    r->next = calloc(n, sizeof(*r->next));
    r->order = calloc(n, sizeof(*r->order));
    r->worth = calloc(n, sizeof(*r->worth));
    r->frame_of = calloc((size_t)r->frame_count + 1, sizeof(*r->frame_of));
    return r->first && r->next && r->order && r->worth && r->frame_of ? 0 : -ENOMEM;
}

static void clean_up(struct report *r)
{
    free(r->rows);
    free(r->first);
    free(r->next);
    free(r->order);
    free(r->worth);
    free(r->frame_of);
    free(r->row_of);
    free(r->table.rows);
}

int times_report_write(struct agent *a, const struct times_report_cost *cost, int counts_only,
                       struct times_report_totals *ret)
{
    static const struct times_report_totals none;
    struct hprof_out *out = &a->output.out;
    struct report r = {.a = a};
    int error = set_up(&r, times_clock_now());

    *ret = none;
    if (!error) {
        put_in_order(&r);
        weigh(&r, cost, counts_only ? 0 : times_clock_unit_ns());
        collect(&r, counts_only, ret);
    }
    if (a->options.cpu_table == OPTIONS_OLD && out->ops->old_times)
        out->ops->old_times(out, &r.table);
    else if (out->ops->cpu_times)
        out->ops->cpu_times(out, &r.table);
    clean_up(&r);
    return error;
}
