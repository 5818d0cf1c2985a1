/*
 * times_report.c - see times_report.h.
 *
 * Paths that are equal within the depth are put together first. Some of them took less time than a
 * row can show, or the model has no room for their traces. These become rows of their methods
 * alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_report.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/methods.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "agent/times/times_clock.h"
#include "agent/times/times_group.h"
#include "agent/times/times_tree.h"
#include "agent/times/times_wait.h"
#include "options/options_times.h"
#include "safe/clock.h"

enum { TIME, CALLS, RAW_TIME }; /* the values of tables of times */

enum {
    OLD_DEPTH = 2, /* callee and caller */
    DOUBTED = 2,   /* the cost is doubted if it is more than so many times what was measured */
};

/* A table that grows, with the row of each trace. */
struct tally {
    struct writer_table out;
    uint32_t room;
    uint32_t *row_of; /* index of the row by trace, from 1 */
    uint32_t row_of_count;
};

/* Why a row shows only its method; indices of `folds`. */
enum fold {
    FOLD_NO_ROOM,
    FOLD_SMALL,
    FOLDS,
};

/* The tables, in the order of the file. */
enum which {
    ENDED,
    OPEN,
    ENDED_WAITS,
    OPEN_WAITS,
    TABLES,
};

static const enum kind_id kinds[TABLES] = {
    [ENDED] = KIND_CALL,
    [OPEN] = KIND_OPEN_CALL,
    [ENDED_WAITS] = KIND_WAIT,
    [OPEN_WAITS] = KIND_OPEN_WAIT,
};

struct folded;

struct report {
    struct agent *a;
    struct recording *recording;
    struct times_report_cost cost;
    double unit_ns;
    int counts_only, is_apart;
    uint32_t depth;
    struct times_row *rows;
    uint32_t count;
    frame_id *frame_of; /* by the number of a method */
    uint32_t frame_count;
    struct event *folds[FOLDS]; /* by the number of a method */
    frame_id fold_frames[FOLDS];
    struct folded *folded; /* room for one entry for each method */
    frame_id *frames;      /* room for a trace */
    struct tally tables[TABLES];
    struct times_report_totals *totals;
};

static bool is_old(const struct report *r)
{
    return options_group_asked(&r->recording->options, &options_times) == OPTIONS_TIMES_OLD;
}

static double above_0(double n)
{
    return n > 0 ? n : 0;
}

/* ---- names */

static frame_id make_frame(struct agent *a, uint32_t number)
{
    method_id method = names_injected(a, number);
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

/* The frame that stands for missing callers in a trace; its class belongs to no program. */
static frame_id fold_frame(struct report *r, enum fold why)
{
    static const char *const names[] = {"callersNotKept", "callersOfLessThan1Ms"};
    struct profile *p = r->a->profile;
    method_id method;
    if (!r->fold_frames[why]) {
        method = profile_method(p, names_class_named(r->a, profile_cstring(p, "hprof")),
                                profile_cstring(p, names[why]), profile_cstring(p, "()V"), 0);
        r->fold_frames[why] = method ? profile_frame(p, method, -1, PROFILE_LINE_NONE) : 0;
    }
    return r->fold_frames[why];
}

/* The trace of a method alone, with a frame for the missing callers. */
static trace_id fold_trace(struct report *r, int32_t number, enum fold why)
{
    frame_id frames[2] = {frame_of(r, number), r->depth > 1 ? fold_frame(r, why) : 0};
    return frames[0] ? profile_trace(r->a->profile, 0, frames, frames[1] ? 2 : 1) : 0;
}

static trace_id trace_of(struct report *r, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t at = i; n < r->depth && at != TIMES_NO_ROW; at = r->rows[at].parent) {
        r->frames[n] = frame_of(r, r->rows[at].id);
        if (!r->frames[n++])
            return 0;
    }
    return profile_trace(r->a->profile, r->rows[i].thread, r->frames, n);
}

/* ---- the table */

static struct event *row_of(struct tally *t, trace_id trace)
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
            struct event *more = realloc(t->out.rows, room * sizeof(*more));
            if (!more)
                return NULL;
            t->out.rows = more;
            t->room = room;
        }
        t->out.rows[t->out.count] = (struct event){.trace = trace};
        t->row_of[trace] = ++t->out.count;
    }
    return &t->out.rows[t->row_of[trace] - 1];
}

/* Add to the row of a trace. Trace 0: there was no memory for it, and its calls are lost. */
static int add(struct tally *t, trace_id trace, const struct event *what)
{
    struct event *to = trace ? row_of(t, trace) : NULL;
    if (!to)
        return -1;
    to->value[TIME] += what->value[TIME];
    to->value[RAW_TIME] += what->value[RAW_TIME];
    to->value[CALLS] += what->value[CALLS];
    return 0;
}

/*
 * Whether a row would be printed as 0 ms. Such a row is left out, unless the user asks for
 * microseconds.
 */
static bool is_small(const struct report *r, uint64_t cost)
{
    return !r->counts_only && !is_old(r) && !options_times_of(&r->recording->options)->raw &&
           cost < NS_PER_MS / 2;
}

static struct event row_of_group(const struct report *r, const struct times_group *g)
{
    return (struct event){
        .value = {[TIME] = (uint64_t)g->cost,
                  [CALLS] = g->calls,
                  [RAW_TIME] = r->counts_only ? g->calls : (uint64_t)(g->time * r->unit_ns)},
    };
}

static void fold(struct report *r, enum fold why, uint32_t i, const struct event *what)
{
    struct event *to = &r->folds[why][r->rows[i].id];
    to->value[TIME] += what->value[TIME];
    to->value[RAW_TIME] += what->value[RAW_TIME];
    to->value[CALLS] += what->value[CALLS];
}

/* A method and what was added to its row without callers. */
struct folded {
    int32_t number;
    uint64_t cost;
};

static int by_cost(const void *left, const void *right)
{
    const struct folded *x = left, *y = right;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Make one row for each method of what was folded, the largest first; what is too small is left
 * out.
 */
static void add_folds(struct report *r, struct tally *t, enum fold why)
{
    struct event *rows = r->folds[why];
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->frame_count; i++) {
        if (rows[i].value[CALLS] > 0 || rows[i].value[TIME] > 0)
            r->folded[count++] = (struct folded){(int32_t)i, rows[i].value[TIME]};
    }
    qsort(r->folded, count, sizeof(*r->folded), by_cost);
    for (uint32_t i = 0; i < count; i++) {
        struct event *row = &rows[r->folded[i].number];
        if (why == FOLD_NO_ROOM)
            r->totals->shallow_calls += row->value[CALLS];
        if (!is_small(r, row->value[TIME]) &&
            add(t, fold_trace(r, r->folded[i].number, why), row) != 0)
            r->totals->lost_calls += row->value[CALLS];
        *row = (struct event){0};
    }
}

/*
 * If the model may be too small for all methods, reserve rows for the methods that took most,
 * whether they have lost their callers already or will lose them for lack of room.
 */
static void make_room_for_folds(struct report *r, const struct times_groups *groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->frame_count; i++)
        r->folded[i] = (struct folded){(int32_t)i, 0};
    for (uint32_t i = 0; i < groups->count; i++)
        r->folded[r->rows[groups->groups[i].row].id].cost += 1 + (uint64_t)groups->groups[i].cost;
    for (uint32_t i = 0; i < r->frame_count; i++)
        if (r->folded[i].cost > 0)
            r->folded[count++] = r->folded[i];
    qsort(r->folded, count, sizeof(*r->folded), by_cost);
    for (uint32_t i = 0; i < count; i++)
        if (!is_small(r, r->folded[i].cost))
            fold_trace(r, r->folded[i].number, FOLD_NO_ROOM);
}

/*
 * Add the rows of paths, the largest first, because the model may have no room for the traces of
 * all. Rows of methods without callers come earlier, because each stands for many paths.
 */
static void add_groups(struct report *r, struct tally *t, struct times_groups *groups)
{
    bool is_short = false;
    times_group_sort(groups);
    for (uint32_t i = 0; i < groups->count && r->depth > 1; i++) {
        const struct times_group *g = &groups->groups[i];
        struct event row = row_of_group(r, g);
        if (r->rows[g->row].is_without_path) {
            fold(r, FOLD_NO_ROOM, g->row, &row);
            is_short = true;
        }
    }
    if (is_short)
        make_room_for_folds(r, groups);
    add_folds(r, t, FOLD_NO_ROOM);
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct times_group *g = &groups->groups[i];
        struct event row = row_of_group(r, g);
        t->out.total += row.value[TIME];
        if (r->depth > 1 && r->rows[g->row].is_without_path)
            continue;
        if (r->depth > 1 && profile_is_crowded(r->a->profile))
            fold(r, FOLD_NO_ROOM, g->row, &row);
        else if (r->depth > 0 && is_small(r, row.value[TIME]))
            fold(r, FOLD_SMALL, g->row, &row);
        else if (add(t, trace_of(r, g->row), &row) != 0)
            r->totals->lost_calls += row.value[CALLS];
    }
    for (enum fold why = 0; why < FOLDS; why++)
        add_folds(r, t, why);
}

/*
 * The time of a group without the tracker's cost, in the calls themselves and around the calls that
 * they made. The result is below 0 if the tracker cost less here than on average.
 */
static double corrected(const struct report *r, const struct times_group *g, double inside,
                        double outside)
{
    if (r->counts_only)
        return (double)g->calls;
    return g->time * r->unit_ns - (double)g->calls * inside - g->made * outside;
}

/*
 * Raise rows below 0 to 0, and take the same amount from the other rows of the method, in
 * proportion. So the sum of a method does not depend on how many paths are told apart.
 */
static int level(const struct report *r, struct times_groups *groups)
{
    struct {
        double all, above_0;
    } *sums = calloc((size_t)r->frame_count + 1, sizeof(*sums));
    if (!sums)
        return -ENOMEM;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct times_group *g = &groups->groups[i];
        sums[r->rows[g->row].id].all += g->cost;
        sums[r->rows[g->row].id].above_0 += above_0(g->cost);
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        struct times_group *g = &groups->groups[i];
        double whole = sums[r->rows[g->row].id].above_0;
        g->cost = whole > 0 ? above_0(g->cost) * above_0(sums[r->rows[g->row].id].all) / whole : 0;
    }
    free(sums);
    return 0;
}

static bool is_open(enum which t)
{
    return t == OPEN || t == OPEN_WAITS;
}

static bool is_waiting(enum which t)
{
    return t == ENDED_WAITS || t == OPEN_WAITS;
}

static bool belongs(const struct report *r, const struct times_row *row, bool waits)
{
    return row->id >= 0 && (r->is_apart && times_wait_is_marked(row->id)) == waits;
}

/* Put the rows of one table together into groups. */
static void group_rows(struct report *r, enum which t, struct times_groups *groups)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const struct times_row *row = &r->rows[i];
        if (!belongs(r, row, is_waiting(t)))
            continue;
        if (is_open(t) && row->open > 0)
            times_group_add(groups, i, (uint64_t)row->open, (double)row->open_time,
                            (double)row->open_made);
        else if (!is_open(t) && (row->calls > 0 || row->time > 0))
            times_group_add(groups, i, (uint64_t)row->calls, (double)row->time, (double)row->made);
    }
}

/*
 * Drop a cost that is too high: the tracker cannot have cost more than everything that was measured
 * with it. A calibration gives such a cost if the compilers had no time for its code because of
 * other work. Then times are not corrected.
 */
static void doubt_cost(struct report *r)
{
    double took = 0, cost = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct times_row *row = &r->rows[i];
        if (!belongs(r, row, false))
            continue;
        took += (double)row->time * r->unit_ns;
        cost += (double)row->calls * r->cost.inside + (double)row->made * r->cost.outside;
    }
    if (cost > took * DOUBTED)
        r->cost = (struct times_report_cost){0, 0};
    r->totals->cost = r->cost;
}

/* Add a group of the table, whose cost is known, to the totals. */
static void count_group(struct report *r, enum which t, const struct times_group *g)
{
    struct times_report_totals *totals = r->totals;
    uint64_t ns = r->counts_only ? 0 : (uint64_t)g->cost;
    if (is_waiting(t)) {
        totals->waits += g->calls;
        totals->wait_ns += ns;
    } else if (t == OPEN) {
        totals->open_calls += g->calls;
        totals->open_ns += ns;
    } else {
        totals->calls += g->calls;
        if (is_old(r) && r->rows[g->row].parent != TIMES_NO_ROW)
            return; /* the time of its callers includes this time */
        totals->raw_ns += r->counts_only ? 0 : (uint64_t)(g->time * r->unit_ns);
        totals->corrected_ns += ns;
    }
}

static int collect(struct report *r, enum which t)
{
    double inside = is_open(t) ? 0 : r->cost.inside,
           outside = r->cost.outside + (is_old(r) ? inside : 0);
    struct times_groups groups;
    int error;
    if (times_group_begin(&groups, r->rows, r->count, r->depth) != 0)
        return -ENOMEM;
    group_rows(r, t, &groups);
    for (uint32_t i = 0; i < groups.count; i++)
        groups.groups[i].cost = corrected(r, &groups.groups[i], inside, outside);
    error = level(r, &groups);
    for (uint32_t i = 0; i < groups.count && !error; i++)
        count_group(r, t, &groups.groups[i]);
    if (error) {
        times_group_end(&groups);
        return error;
    }
    if (t == ENDED || !is_old(r)) /* cpu=old does not show calls that have not ended */
        add_groups(r, &r->tables[t], &groups);
    times_group_end(&groups);
    return 0;
}

static int set_up(struct report *r, int64_t now)
{
    const struct times_reading how = {
        .place = r->recording->place,
        .clear = 1,
        .per_thread = r->recording->options.thread,
        .now = now,
    };
    int error = times_tree_read(&how, &r->rows, &r->count);
    if (error)
        return error;
    r->frame_count = methods_count();
    r->frame_of = calloc((size_t)r->frame_count + 1, sizeof(*r->frame_of));
    r->frames = calloc((size_t)r->depth + 1, sizeof(*r->frames));
    for (int why = 0; why < FOLDS; why++)
        r->folds[why] = calloc((size_t)r->frame_count + 1, sizeof(*r->folds[why]));
    r->folded = calloc((size_t)r->frame_count + 1, sizeof(*r->folded));
    return r->frame_of && r->frames && r->folded && r->folds[FOLD_NO_ROOM] && r->folds[FOLD_SMALL]
               ? 0
               : -ENOMEM;
}

static void clean_up(struct report *r)
{
    free(r->rows);
    free(r->frame_of);
    free(r->frames);
    free(r->folded);
    for (int why = 0; why < FOLDS; why++)
        free(r->folds[why]);
    for (int i = 0; i < TABLES; i++) {
        free(r->tables[i].row_of);
        free(r->tables[i].out.rows);
    }
}

static void write_tables(struct report *r)
{
    struct writer_table *ended = &r->tables[ENDED].out;
    ended->cost_inside = r->cost.inside;
    ended->cost_outside = r->cost.outside;
    ended->has_raw = options_times_of(&r->recording->options)->raw;
    for (int t = 0; t < TABLES; t++) {
        struct writer_table *table = &r->tables[t].out;
        table->kind = is_old(r) ? KIND_OLD_CALL : kinds[t];
        if (r->counts_only)
            table->ranked_by = CALLS;
        for (uint32_t i = 0; i < table->count; i++) {
            table->rows[i].kind = table->kind;
            if (r->counts_only)
                table->rows[i].value[TIME] = 0;
        }
        if (t == ENDED || table->count > 0)
            recording_rows(r->recording, table);
    }
}

uint32_t times_report_depth(const struct options *o)
{
    return options_group_asked(o, &options_times) == OPTIONS_TIMES_OLD ? OLD_DEPTH
                                                                       : (uint32_t)o->depth;
}

int times_report_write(struct agent *a, struct recording *recording,
                       const struct times_report_cost *cost, int counts_only, bool is_apart,
                       struct times_report_totals *ret)
{
    struct report r = {
        .a = a,
        .recording = recording,
        .cost = *cost,
        .unit_ns = counts_only ? 0 : times_clock_unit_ns(),
        .counts_only = counts_only,
        .is_apart = is_apart,
        .depth = times_report_depth(&recording->options),
        .totals = ret,
    };
    int error;
    *ret = (struct times_report_totals){0};
    error = set_up(&r, times_clock_now(NULL));
    if (!error && !counts_only)
        doubt_cost(&r);
    /*
     * Begin with the last table. If the model is nearly full, the many rows of the first table
     * become rows of a method alone, and the few rows of the other tables keep their callers.
     */
    for (int t = TABLES; t-- > 0 && !error;)
        error = collect(&r, (enum which)t);
    write_tables(&r);
    clean_up(&r);
    return error;
}
