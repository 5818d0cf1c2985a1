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

/* What a node is worth, in ns: its calls that have ended. */
struct worth {
    double raw, self, total; /* own time as measured and corrected; with callees, corrected */
    double cost;             /* of the tracker, in it and below */
    int64_t child_calls;
};

/* A table that grows, and which row of it a trace has. */
struct tally {
    struct hprof_out_times out;
    uint32_t room;
    uint32_t *row_of; /* by trace, from 1 */
    uint32_t row_of_count;
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
    struct tally ended, open; /* calls */
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

static double above_0(double n)
{
    return n > 0 ? n : 0;
}

/* From callees to callers. A call that goes on over tables is in the one in which it ends, and the
 * time of its callees with it, which may have been in earlier ones. */
static void weigh(struct report *r, const struct times_report_cost *cost, double unit_ns)
{
    for (uint32_t at = r->ordered; at-- > 0;) {
        uint32_t i = r->order[at];
        const struct times_row *row = &r->rows[i];
        struct worth *w = &r->worth[i], *parent = &r->worth[row->parent];
        double calls = (double)row->calls, time;

        if (!is_node(row))
            continue;
        w->raw = (double)row->self * unit_ns;
        w->self = w->raw - calls * cost->inside;
        if (row->calls > 0)
            w->self -= (double)w->child_calls * cost->outside;
        w->self = above_0(w->self);
        w->cost += calls * cost->inside;
        time = above_0((double)row->time * unit_ns - w->cost);
        w->total = row->is_open ? 0 : w->total + w->self;
        if (w->total < time)
            w->total = time;
        parent->total += w->total;
        parent->cost += w->cost + calls * cost->outside;
        parent->child_calls += row->calls + row->is_open;
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

static struct hprof_out_row *row_of(struct tally *t, trace_id trace)
{
    if (trace >= t->row_of_count) {
        uint32_t room = trace * 2 + 1024;
        uint32_t *more = realloc(t->row_of, room * sizeof(*more));

        if (!more)
            return NULL;
        memset(more + t->row_of_count, 0, (room - t->row_of_count) * sizeof(*more));
        t->row_of = more;
        t->row_of_count = room;
    }
    if (!t->row_of[trace]) {
        if (t->out.count == t->room) {
            uint32_t room = t->room * 2 + 1024;
            struct hprof_out_row *more = realloc(t->out.rows, room * sizeof(*more));

            if (!more)
                return NULL;
            t->out.rows = more;
            t->room = room;
        }
        t->out.rows[t->out.count] = (struct hprof_out_row){.trace = trace};
        t->row_of[trace] = ++t->out.count;
    }
    return &t->out.rows[t->row_of[trace] - 1];
}

/* Adds to the row of a trace, which 0 is where there is no memory for it: then it is lost. */
static int add(struct tally *t, trace_id trace, const struct hprof_out_row *what)
{
    struct hprof_out_row *to = trace ? row_of(t, trace) : NULL;

    if (!to)
        return -1;
    to->cost += what->cost;
    to->raw += what->raw;
    to->count += what->count;
    return 0;
}

static void collect_node(struct report *r, uint32_t i, trace_id trace, int counts_only,
                         double unit_ns, struct times_report_totals *totals)
{
    const struct times_row *row = &r->rows[i];
    const struct worth *w = &r->worth[i];
    int is_old = r->a->options.cpu_table == OPTIONS_OLD;
    uint64_t calls = (uint64_t)row->calls, self = (uint64_t)w->self;
    uint64_t open = counts_only ? 1 : (uint64_t)((double)row->open_self * unit_ns);
    const struct hprof_out_row ended = {
        .cost = counts_only ? calls
                : is_old    ? (uint64_t)w->total
                            : self,
        .raw = (uint64_t)w->raw,
        .count = calls,
    };
    const struct hprof_out_row unfinished = {.cost = open, .raw = open, .count = 1};

    totals->calls += calls;
    totals->raw_ns += ended.raw;
    totals->corrected_ns += self;
    r->ended.out.total += counts_only ? calls : self;
    if ((calls > 0 || self > 0) && add(&r->ended, trace, &ended) != 0)
        totals->lost_calls += calls;
    if (!row->is_open)
        return;
    totals->open_calls++;
    totals->open_ns += counts_only ? 0 : open;
    r->open.out.total += open;
    if (add(&r->open, trace, &unfinished) != 0)
        totals->lost_calls++;
}

static uint64_t ms_of(uint64_t ns, int counts_only)
{
    return counts_only ? 0 : (ns + NS_PER_MS / 2) / NS_PER_MS;
}

/* Calls that found no room in the trees. Their time is their callers'. */
static void collect_unplaced(struct report *r, int counts_only, struct times_report_totals *totals)
{
    for (uint32_t i = 0; i < r->frame_count; i++) {
        uint64_t calls = times_tree_take_unplaced((int32_t)i);
        struct hprof_out_row row = {.cost = counts_only ? calls : 0, .count = calls};
        frame_id frame = calls > 0 ? frame_of(r, (int32_t)i) : 0;

        if (calls == 0)
            continue;
        totals->calls += calls;
        totals->shallow_calls += calls;
        r->ended.out.total += row.cost;
        if (!frame || add(&r->ended, profile_trace(r->a->profile, 0, &frame, 1), &row) != 0)
            totals->lost_calls += calls;
    }
}

static void collect(struct report *r, int counts_only, double unit_ns,
                    struct times_report_totals *totals)
{
    uint32_t wanted =
        r->a->options.cpu_table == OPTIONS_OLD ? OLD_DEPTH : (uint32_t)r->a->options.depth;
    uint32_t depth = wanted;
    frame_id *frames = malloc((depth + 1) * sizeof(*frames));

    for (uint32_t at = 0; frames && at < r->ordered; at++) {
        uint32_t i = r->order[at];
        const struct times_row *row = &r->rows[i];

        if (!is_node(row) || (row->calls == 0 && !row->is_open && r->worth[i].self < 1))
            continue;
        if (depth > 1 && profile_is_crowded(r->a->profile))
            depth = 1;
        if (depth < wanted)
            totals->shallow_calls += (uint64_t)row->calls;
        collect_node(r, i, trace_of(r, i, depth, frames), counts_only, unit_ns, totals);
    }
    free(frames);
    collect_unplaced(r, counts_only, totals);
    r->ended.out.total_ms = ms_of(r->ended.out.total, counts_only);
    r->open.out.total_ms = ms_of(r->open.out.total, counts_only);
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
    free(r->ended.row_of);
    free(r->ended.out.rows);
    free(r->open.row_of);
    free(r->open.out.rows);
}

/* The table of cpu=old has no place for calls that have not ended. */
static void write_tables(struct agent *a, struct report *r, const struct times_report_cost *cost)
{
    struct hprof_out *out = &a->output.out;

    r->open.out.is_unfinished = 1;
    r->ended.out.cost_inside = cost->inside;
    r->ended.out.cost_outside = cost->outside;
    r->ended.out.has_raw = a->options.raw;
    if (a->options.cpu_table == OPTIONS_OLD && out->ops->old_times) {
        out->ops->old_times(out, &r->ended.out);
    } else if (out->ops->cpu_times) {
        out->ops->cpu_times(out, &r->ended.out);
        if (r->open.out.count > 0)
            out->ops->cpu_times(out, &r->open.out);
    }
}

int times_report_write(struct agent *a, const struct times_report_cost *cost, int counts_only,
                       struct times_report_totals *ret)
{
    static const struct times_report_totals none;
    struct report r = {.a = a};
    int error = set_up(&r, times_clock_now());

    *ret = none;
    if (!error) {
        double unit_ns = counts_only ? 0 : times_clock_unit_ns();

        put_in_order(&r);
        weigh(&r, cost, unit_ns);
        collect(&r, counts_only, unit_ns, ret);
    }
    write_tables(a, &r, cost);
    clean_up(&r);
    return error;
}
