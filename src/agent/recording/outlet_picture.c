/*
 * outlet_picture.c - a file= that ends in .html, .collapsed or .folded: a picture of the whole
 * recording, written when the recording ends.
 *
 * Until then this writer keeps the sums of all events and of the rows of tables. When it ends it
 * gives them to the writer of the picture's format (the list `pictures` of src/meson.build).
 * Stacks that find no room, here or while the picture is made, become one stack of the picture
 * (format/left_out.h). A picture shows one value: the first series by rank (kind/kind.h) that was
 * measured. Hidden frames are left out (profile/hidden.h), as in the other pictures, which the
 * command hprof draws. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording/outlet.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "format/format.h"
#include "format/left_out.h"
#include "options/options_format.h"
#include "profile/hidden.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "profile/tally.h"

/* The list in src/meson.build; it ends with NULL. */
extern const struct format *const outlet_picture_all[];

/* What is known about one kind of event. */
struct told {
    bool is_old;                /* the rows came from an earlier dump */
    uint64_t lost[KIND_VALUES]; /* values whose rows found no room in the model or the tally */
};

struct outlet_picture {
    struct agent *a;
    struct recording *r;
    struct tally *tally;
    struct told of[KIND_COUNT];
    frame_id *stack; /* room for one stack */
    uint32_t stack_room;
};

static const struct format *format_of(const struct options *o)
{
    const char *name = options_format_of(o->format)->name;
    int i = 0;
    while (outlet_picture_all[i] && strcmp(outlet_picture_all[i]->name, name) != 0)
        i++;
    return outlet_picture_all[i];
}

static bool is_wanted(const struct options *o)
{
    return format_of(o) != NULL;
}

static int begin(struct writer_out *o)
{
    struct outlet_picture *p = o->state;
    p->tally = profile_tally_new(p->a->profile,
                                 (size_t)budget_bytes(p->r->options.mem_bytes, BUDGET_SUMS));
    if (!p->tally)
        log_error("no memory for the picture: it will be empty");
    return 0;
}

/*
 * Add a row. A row of a class without a trace gets the empty trace. A text already contains the
 * name of the class.
 */
static void add(struct outlet_picture *p, const struct event *e)
{
    struct event row = *e;
    if (row.text)
        row.klass = 0;
    if (!row.trace)
        row.trace = profile_trace(p->a->profile, 0, NULL, 0);
    if (!p->tally || !row.trace || tally_add(p->tally, &row) != 0)
        for (uint32_t v = 0; v < KIND_VALUES; v++)
            p->of[row.kind].lost[v] += row.value[v];
}

static int take_event(struct writer_out *o, const struct event *e)
{
    add(o->state, e);
    return 0;
}

/*
 * Whether tables of this kind show one moment, so that each dump replaces the last one. Other
 * tables have what came since the last dump.
 */
static bool is_of_moment(enum kind_id kind)
{
    return kind == KIND_SITE || kind == KIND_HISTO || kind == KIND_LIVE_HISTO;
}

static int take_table(struct writer_out *o, struct writer_table *t)
{
    struct outlet_picture *p = o->state;
    struct told *told = &p->of[t->kind];
    if (told->is_old && is_of_moment(t->kind) && p->tally && t->count > 0) {
        sums_clear(tally_sums(p->tally, t->kind));
        memset(told->lost, 0, sizeof(told->lost));
    }
    if (t->count > 0)
        told->is_old = false;
    for (uint32_t i = 0; i < t->count; i++)
        add(p, &t->rows[i]);
    return 0;
}

static void flush(struct writer_out *o)
{
    struct outlet_picture *p = o->state;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        p->of[kind].is_old = true;
}

/* ---- the file */

static int put(void *to, const unsigned char *bytes, size_t len)
{
    struct outlet_picture *p = to;
    return output_append(&p->r->output, bytes, len);
}

static const struct series *first_series(const struct outlet_picture *p)
{
    for (const struct series *each = series_next(NULL); each; each = series_next(each))
        if (tally_sums(p->tally, each->kind)->total[each->value] > 0 ||
            p->of[each->kind].lost[each->value] > 0)
            return each;
    return series_next(NULL); /* nothing was measured, and the picture is empty */
}

static bool has_room(struct outlet_picture *p, uint32_t depth)
{
    if (depth > p->stack_room) {
        frame_id *stack = realloc(p->stack, depth * sizeof(*stack));
        if (!stack)
            return false;
        p->stack = stack;
        p->stack_room = depth;
    }
    return true;
}

/* The trace without its hidden frames; the trace itself if there is no memory for a new one. */
static trace_id shown_trace(struct outlet_picture *p, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(p->a->profile, id);
    uint32_t depth = 0;
    if (!has_room(p, trace->depth))
        return id;
    for (uint32_t i = 0; i < trace->depth; i++)
        if (hidden_shows(p->a->profile, trace, i, depth))
            p->stack[depth++] = trace->frames[i];
    if (depth == trace->depth)
        return id;
    trace_id shown = profile_trace(p->a->profile, trace->thread, p->stack, depth);
    return shown ? shown : id;
}

/* Order rows by the value that is drawn, the largest first. */
static int by_value(const void *left, const void *right, void *out)
{
    const struct writer_out *o = out;
    const struct sum *x = *(const struct sum *const *)left, *y = *(const struct sum *const *)right;
    return (x->value[o->value] < y->value[o->value]) - (x->value[o->value] > y->value[o->value]);
}

/*
 * The rows in the order in which they are drawn, so that the small ones are left out if there is
 * not enough room. NULL: no memory. Owner: free().
 */
static const struct sum **ordered_rows(const struct sums *sums, struct writer_out *o)
{
    uint32_t count = sums->rows.count;
    const struct sum **rows = calloc(count + (size_t)1, sizeof(const struct sum *));
    for (uint32_t i = 0; i < count && rows; i++)
        rows[i] = sums_at(sums, i + 1);
    if (rows && count > 1)
        qsort_r(rows, count, sizeof(const struct sum *), by_value, o);
    return rows;
}

static int write_rows(struct outlet_picture *p, struct writer_out *o)
{
    const struct sums *sums = tally_sums(p->tally, o->kind);
    const struct sum **rows = ordered_rows(sums, o);
    int error = writer_begin(o);
    if (!rows)
        error = -ENOMEM;
    for (uint32_t i = 0; i < sums->rows.count && !error; i++) {
        struct event event = sums_event(o->kind, rows[i]);
        event.trace = shown_trace(p, event.trace);
        o->row++;
        error = writer_event(o, &event);
    }
    int ended = writer_end(o);
    free(rows);
    return error ? error : ended;
}

static void say_left_out(const struct outlet_picture *p, const struct writer_out *o)
{
    uint64_t all = tally_sums(p->tally, o->kind)->total[o->value] + p->of[o->kind].lost[o->value];
    if (o->room.left_out[o->value] > 0)
        log_error("the picture in %s has %llu of %llu %s as one stack, \"%s\": raise mem=",
                  p->r->output.path, (unsigned long long)o->room.left_out[o->value],
                  (unsigned long long)all, kind_all[o->kind]->values[o->value].words,
                  left_out_name);
}

static int write_picture(struct outlet_picture *p)
{
    const struct series *series = first_series(p);
    uint64_t mem_bytes = p->r->options.mem_bytes;
    struct sink sink;
    struct writer_out o = {.writer = format_of(&p->r->options)->writer,
                           .profile = p->a->profile,
                           .sink = &sink,
                           .kind = series->kind,
                           .value = series->value,
                           .kinds = 1u << series->kind,
                           .room.bytes = (size_t)budget_bytes(mem_bytes, BUDGET_PICTURE)};
    int error = sink_init_taker(&sink, put, p);
    memcpy(o.room.left_out, p->of[series->kind].lost, sizeof(o.room.left_out));

    if (!error)
        error = write_rows(p, &o);
    int done = sink_done(&sink);

    say_left_out(p, &o);
    return error ? error : done;
}

static int end(struct writer_out *o)
{
    struct outlet_picture *p = o->state;
    int error = p->tally ? write_picture(p) : 0;
    if (error)
        log_error("the picture in %s is not whole (%s)", p->r->output.path, err_text(error));
    tally_free(p->tally);
    free(p->stack);
    free(p);
    return error;
}

static const struct writer writer = {
    .kinds = KIND_SET_ANY_ONE,
    .abilities = WRITER_TIERS,
    .begin = begin,
    .event = take_event,
    .table = take_table,
    .flush = flush,
    .end = end,
};

static int create(struct agent *a, struct recording *r, struct writer_out *ret)
{
    struct outlet_picture *p = calloc(1, sizeof(*p));
    if (!p) {
        log_error("no memory for the picture");
        return -ENOMEM;
    }
    p->a = a;
    p->r = r;
    ret->writer = &writer;
    ret->state = p;
    return 0;
}

const struct outlet outlet_picture = {
    .name = "picture",
    .is_wanted = is_wanted,
    .create = create,
};
