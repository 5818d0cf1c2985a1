/*
 * recording.c - see recording.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording.h"
#include <stdio.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/outlet.h"
#include "format/hprof_events.h"
#include "format/hprof_out.h"
#include "format/hprof_sites.h"
#include "options/options_group.h"
#include "safe/clock.h"

void recording_begin(struct recording *r, bool has_joined)
{
    static uint32_t count;
    if (!r->number)
        r->number = ++count;
    r->began = time(NULL);
    r->began_ns = clock_monotonic_ns();
    if (!r->name[0])
        snprintf(r->name, sizeof(r->name), "%u", r->number);
    /* no end until the command that began it has its answer: lease_begin() */
    r->lease_end_ns = UINT64_MAX;
    r->turn_ns = r->options.ends.loop_ns ? r->began_ns + r->options.ends.loop_ns : 0;
    r->is_counting = has_joined;
    output_note_manifest(&r->output, &r->options, "+");
}

double recording_seconds(const struct recording *r)
{
    return (double)(clock_monotonic_ns() - r->began_ns) / NS_PER_S;
}

bool recording_is_left(struct recording *r)
{
    return output_held_is_left(&r->output.held, r->output.fd);
}

int recording_create(struct agent *a, struct recording *r)
{
    const struct output *outputs[AGENT_RECORDINGS];
    struct output_others others = {outputs, 0};
    int error;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i] != r)
            outputs[others.count++] = &a->recordings[i]->output;
    error = output_create(&r->output, &r->options, &others);

    for (int i = 0; outlet_all[i] && !error; i++) {
        void *self = NULL;
        if (!outlet_all[i]->is_wanted(&r->options) || r->outlet_count == RECORDING_OUTLETS)
            continue;
        error = outlet_all[i]->create(r, &self);
        if (!error) {
            r->outlets[r->outlet_count].row = outlet_all[i];
            r->outlets[r->outlet_count++].self = self;
        }
    }
    return error;
}

void recording_open(struct agent *a, struct recording *r, int large_heap)
{
    output_begin(&r->output, &r->options, a->profile, r->tally, large_heap);
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->begin)
            r->outlets[i].row->begin(r->outlets[i].self, a, r);
}

bool recording_has_kinds(const struct recording *r)
{
    bool has_kinds = false;
    for (uint32_t i = 0; i < r->outlet_count; i++)
        has_kinds = has_kinds || r->outlets[i].row->has_kinds;
    return has_kinds;
}

void recording_end(struct recording *r)
{
    while (r->outlet_count > 0) {
        r->outlet_count--;
        r->outlets[r->outlet_count].row->end(r->outlets[r->outlet_count].self);
    }
}

void recording_flush(struct recording *r)
{
    output_flush(&r->output);
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->flush)
            r->outlets[i].row->flush(r->outlets[i].self);
}

void recording_close(struct recording *r)
{
    output_close(&r->output);
    output_note_manifest(&r->output, &r->options, "");
}

void recording_release(struct recording *r)
{
    recording_end(r);
    output_release(&r->output);
}

/* ---- counting */

int recording_count(struct agent *a, struct recording *r, const struct event *event)
{
    struct event summed = *event;
    int error;
    summed.context = 0; /* files of sums have no place for the context */
    error = profile_count_in(a->profile, r->tally, &summed);
    if (!error)
        recording_tell(r, event);
    return error;
}

void recording_tell(struct recording *r, const struct event *event)
{
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->event)
            r->outlets[i].row->event(r->outlets[i].self, event);
}

void recording_lose(struct recording *r, thread_id thread, uint64_t samples)
{
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->lost)
            r->outlets[i].row->lost(r->outlets[i].self, thread, samples);
}

trace_id recording_trace(struct agent *a, const struct recording *r, trace_id whole,
                         bool *ret_is_cut)
{
    const struct profile_trace *t = whole ? profile_trace_at(a->profile, whole) : NULL;
    thread_id thread = t && r->options.thread ? t->thread : 0;
    uint32_t most = (uint32_t)r->options.depth;
    *ret_is_cut = t && t->depth > most;
    if (!t || (thread == t->thread && !*ret_is_cut))
        return whole;
    return profile_trace(a->profile, thread, t->frames, *ret_is_cut ? most : t->depth);
}

void recording_announce_thread(struct agent *a, thread_id thread, bool has_begun)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++) {
        struct hprof_out *o = a->recordings[i] ? &a->recordings[i]->output.out : NULL;
        if (o && has_begun)
            o->ops->start_thread(o, thread);
        else if (o)
            o->ops->end_thread(o, thread);
    }
}

/*
 * With heap=dump the record is written only when a stack or a dump refers to the class, because the
 * dump gives the class its id.
 */
void recording_announce_class(struct agent *a, struct recording *r, class_id klass)
{
    struct hprof_out *o = &r->output.out;
    if (o->ops->load_class && !(options_group_marks(&r->options) & OPTIONS_MARK_OBJECTS))
        o->ops->load_class(o, klass, agent_new_object(a));
    if (o->ops->load_class && !profile_class_at(a->profile, klass)->is_by_name)
        (void)hprof_marks_set(&o->marks, HPROF_MARKS_LISTED, klass);
}

bool recording_takes_timings(const struct recording *r)
{
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->timings)
            return true;
    return false;
}

void recording_timings(struct recording *r, const struct event_timing *rows, uint32_t count)
{
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->timings)
            r->outlets[i].row->timings(r->outlets[i].self, rows, count);
}

void recording_put_events(struct recording *r, enum kind_id kind)
{
    if (hprof_events_put(&r->output.out, kind) != 0)
        log_error("no memory for the table of %s", kind_all[kind]->title);
}

void recording_put_samples(struct recording *r)
{
    hprof_out_samples(&r->output.out);
}

void recording_next_samples(struct recording *r)
{
    hprof_out_next_samples(&r->output.out);
}

void recording_put_quality(struct recording *r)
{
    r->output.out.ops->quality(&r->output.out);
}

void recording_table(struct recording *r, struct hprof_out_table *t)
{
    r->output.out.ops->table(&r->output.out, t);
    for (uint32_t i = 0; i < r->outlet_count; i++)
        if (r->outlets[i].row->table)
            r->outlets[i].row->table(r->outlets[i].self, t->rows, t->count);
}

void recording_sites(struct recording *r, struct hprof_sites *t)
{
    r->output.out.ops->sites(&r->output.out, t);
    for (uint32_t i = 0; i < r->outlet_count; i++)
        for (uint32_t row = 0; r->outlets[i].row->table && row < t->count; row++)
            r->outlets[i].row->table(r->outlets[i].self, &t->rows[row].site, 1);
}

void recording_set_quality(struct recording *r, enum quality which, uint64_t count)
{
    /* This cannot fail: a tally has more places than there are names. */
    (void)tally_set_quality(r->tally, quality_name(which), count);
}

void recording_set_qualities(struct recording *r, const struct quality_count *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        recording_set_quality(r, rows[i].which, rows[i].count);
}
