/*
 * outlet_picture.c - a file= that ends in .html, .collapsed or .folded: a picture of the whole
 * recording, written when the recording ends.
 *
 * Sums of what is counted, and rows of tables that no counted event became, wait here until then.
 * A picture is of one value: the first of profile/series.def that was measured. Hidden frames are
 * left out (profile/hidden.h), as the command does, which draws the other pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/outlet.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/recording.h"
#include "base/err.h"
#include "format/format.h"
#include "profile/hidden.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "profile/tally.h"

/* From the list in src/meson.build; NULL at the end. */
extern const struct format *const outlet_picture_all[];

/* What is told of each kind of event. */
struct told {
    bool is_counted; /* as events: tables say the same again */
    bool is_old;     /* the rows are those of an earlier dump */
};

struct outlet_picture {
    struct agent *a;
    struct recording *r;
    struct tally *tally;
    struct told of[EVENT_KINDS];
    frame_id *stack; /* room for one */
    uint32_t stack_room;
    bool is_cut; /* something found no room */
};

static const struct format *format_of(const struct options *o)
{
    const char *name = o->format == 'h' ? "flamegraph" : o->format == 'c' ? "collapsed" : "";
    int i = 0;

    while (outlet_picture_all[i] && strcmp(outlet_picture_all[i]->name, name) != 0)
        i++;
    return outlet_picture_all[i];
}

static bool is_wanted(const struct options *o)
{
    return format_of(o) != NULL;
}

static int create(struct recording *r, void **ret_self)
{
    struct outlet_picture *p = calloc(1, sizeof(*p));

    if (!p) {
        log_error("no memory for the picture");
        return -ENOMEM;
    }
    p->r = r;
    *ret_self = p;
    return 0;
}

static void begin(void *self, struct agent *a, struct recording *r)
{
    struct outlet_picture *p = self;

    p->a = a;
    p->tally =
        profile_tally_new(a->profile, (size_t)budget_bytes(r->options.mem_bytes, BUDGET_MARKS));
    if (!p->tally)
        log_error("no memory for the picture: it will be empty");
}

/* Rows of classes alone have no trace: they get the empty one. A text says the class already. */
static void add(struct outlet_picture *p, const struct event *e)
{
    struct event row = *e;

    if (row.text)
        row.klass = 0;
    if (!row.trace)
        row.trace = profile_trace(p->a->profile, 0, NULL, 0);
    if (!p->tally || !row.trace || tally_add(p->tally, &row) != 0)
        p->is_cut = true;
}

static void take_event(void *self, const struct event *e)
{
    struct outlet_picture *p = self;

    p->of[e->kind].is_counted = true;
    add(p, e);
}

/* Tables of one moment have in each dump what there is then; all others what came since. */
static bool is_of_moment(enum event_kind kind)
{
    return kind == EVENT_SITE || kind == EVENT_HISTO || kind == EVENT_LIVE_HISTO;
}

static void take_table(void *self, const struct event *rows, uint32_t count)
{
    struct outlet_picture *p = self;

    for (uint32_t i = 0; i < count; i++) {
        struct told *told = &p->of[rows[i].kind];

        if (told->is_counted)
            continue;
        if (told->is_old && is_of_moment(rows[i].kind) && p->tally)
            sums_clear(tally_sums(p->tally, rows[i].kind));
        told->is_old = false;
        add(p, &rows[i]);
    }
}

static void flush(void *self)
{
    struct outlet_picture *p = self;

    for (int kind = 0; kind < EVENT_KINDS; kind++)
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
    size_t count;
    const struct series *all = series_all(&count);

    for (size_t i = 0; i < count; i++)
        if (tally_sums(p->tally, all[i].kind)->total[all[i].value] > 0)
            return &all[i];
    return &all[0]; /* nothing was measured: the picture is empty */
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

/* Without hidden frames. As it is where there is no memory for another one. */
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

static int write_rows(struct outlet_picture *p, const struct format *format, struct format_out *o)
{
    const struct sums *sums = tally_sums(p->tally, o->kind);
    int error = format->begin(o);

    for (uint32_t i = 1; i <= sums->rows.count && !error; i++) {
        struct event event = sums_event(o->kind, sums_at(sums, i));

        event.trace = shown_trace(p, event.trace);
        o->row++;
        error = format->event(o, &event);
    }
    int ended = format->end(o);
    return error ? error : ended;
}

static int write_picture(struct outlet_picture *p)
{
    const struct series *series = first_series(p);
    struct sink sink;
    struct format_out o = {.profile = p->a->profile,
                           .sink = &sink,
                           .kind = series->kind,
                           .value = series->value,
                           .kinds = 1u << series->kind};
    int error = sink_init_taker(&sink, put, p);

    if (!error)
        error = write_rows(p, format_of(&p->r->options), &o);
    int done = sink_done(&sink);
    return error ? error : done;
}

static void end(void *self)
{
    struct outlet_picture *p = self;
    int error = p->tally ? write_picture(p) : 0;

    if (error)
        log_error("the picture in %s is not whole (%s)", p->r->output.path, err_text(error));
    if (p->is_cut)
        log_error("the picture in %s lacks stacks for which there was no memory: raise mem=",
                  p->r->output.path);
    tally_free(p->tally);
    free(p->stack);
    free(p);
}

const struct outlet outlet_picture = {
    .name = "picture",
    .has_kinds = true,
    .is_wanted = is_wanted,
    .create = create,
    .begin = begin,
    .event = take_event,
    .table = take_table,
    .flush = flush,
    .end = end,
};
