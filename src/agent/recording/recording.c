/*
 * recording.c - see recording.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording/recording.h"
#include <stdio.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/recording/outlet.h"
#include "options/options_group.h"
#include "format/row_marks.h"
#include "safe/clock.h"

/* Before there is a file, and after its end. */
static const struct writer nothing;

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

    for (int i = 0; outlet_all[i] && !r->outlet; i++)
        if (outlet_all[i]->is_wanted(&r->options))
            r->outlet = outlet_all[i];
    r->out = (struct writer_out){.writer = &nothing, .sink = &r->output.sink};
    return !error && r->outlet ? r->outlet->create(a, r, &r->out) : error;
}

void recording_open(struct agent *a, struct recording *r, bool has_large_heap)
{
    output_begin(&r->output);
    r->out.profile = a->profile;
    r->out.tally = r->tally;
    if (r->outlet && r->outlet->ready)
        r->outlet->ready(r, &r->out, has_large_heap);
    (void)writer_begin(&r->out);
    output_flush(&r->output);
}

bool recording_can(const struct recording *r, enum writer_ability ability)
{
    return writer_can(r->out.writer, ability);
}

void recording_end(struct recording *r)
{
    if (r->out.writer)
        (void)writer_end(&r->out);
    r->out = (struct writer_out){.writer = &nothing};
}

void recording_flush(struct recording *r)
{
    output_flush(&r->output);
    writer_flush(&r->out);
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

/* `plain` is the event without its context, for a file that has no place for it: its sums are not
 * kept apart by the context. */
static void tell(struct recording *r, const struct event *event, const struct event *plain)
{
    (void)writer_event(&r->out, recording_can(r, WRITER_CONTEXTS) ? event : plain);
}

int recording_count(struct agent *a, struct recording *r, const struct event *event)
{
    struct event plain = *event;
    int error;
    plain.context = 0; /* the writers that take sums are those of HPROF files */
    error = profile_count_in(a->profile, r->tally, &plain);
    if (!error)
        tell(r, event, &plain);
    return error;
}

void recording_tell(struct recording *r, const struct event *event)
{
    struct event plain = *event;
    plain.context = 0;
    tell(r, event, &plain);
}

void recording_lose(struct recording *r, thread_id thread, uint64_t samples)
{
    writer_lost(&r->out, thread, samples);
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

/* ---- threads and classes */

void recording_thread(struct recording *r, thread_id thread, bool has_begun)
{
    if (r->ending != RECORDING_TOLD)
        writer_thread(&r->out, thread, has_begun);
}

void recording_announce_thread(struct agent *a, thread_id thread, bool has_begun)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i])
            recording_thread(a->recordings[i], thread, has_begun);
}

void recording_load_class(struct recording *r, class_id klass, uint64_t object)
{
    writer_load_class(&r->out, klass, object);
}

void recording_unload_class(struct recording *r, class_id klass)
{
    writer_unload_class(&r->out, klass);
}

struct row_marks *recording_marks(struct recording *r)
{
    return r->out.marks;
}

/*
 * With heap=dump the record is written only when a stack or a dump refers to the class, because the
 * dump gives the class its id.
 */
void recording_announce_class(struct agent *a, struct recording *r, class_id klass)
{
    struct row_marks *marks = r->out.marks;
    if (!(options_group_marks(&r->options) & OPTIONS_MARK_OBJECTS))
        recording_load_class(r, klass, agent_new_object(a));
    if (marks && !profile_class_at(a->profile, klass)->is_by_name)
        (void)row_marks_set(marks, ROW_MARKS_LISTED, klass);
}

/* ---- tables */

void recording_table(struct recording *r, enum kind_id kind)
{
    recording_table_as(r, &(struct writer_sums){.kind = kind, .cutoff = r->options.cutoff});
}

void recording_table_as(struct recording *r, const struct writer_sums *wanted)
{
    if (writer_sums(&r->out, wanted) != 0)
        log_error("no memory for the table of %s", kind_all[wanted->kind]->title);
}

void recording_next_table(struct recording *r, enum kind_id kind)
{
    writer_next(&r->out, kind);
}

void recording_rows(struct recording *r, struct writer_table *t)
{
    t->cutoff = r->options.cutoff;
    (void)writer_table(&r->out, t);
}

void recording_sites(struct recording *r, struct writer_sites *t)
{
    (void)writer_sites(&r->out, t);
}

void recording_summary(struct recording *r, const uint64_t total[KIND_VALUES])
{
    writer_summary(&r->out, total);
}

void recording_traces(struct recording *r)
{
    writer_traces(&r->out);
}

void recording_timings(struct recording *r, const struct event_timing *rows, uint32_t count)
{
    writer_timings(&r->out, rows, count);
}

void recording_wait(struct recording *r, const struct writer_wait *wait)
{
    writer_wait(&r->out, wait);
}

void recording_monitors(struct recording *r, const struct writer_monitors *monitors)
{
    writer_monitors(&r->out, monitors);
}

void recording_untimed(struct recording *r, const struct writer_untimed *rows, uint32_t count)
{
    writer_untimed(&r->out, rows, count);
}

void recording_catch_up(struct recording *r)
{
    if (output_catch_up(&r->output, r->tally))
        writer_again(&r->out);
}

/* ---- quality */

uint64_t recording_saturated(const struct recording *r)
{
    return r->out.saturated;
}

void recording_put_quality(struct recording *r)
{
    writer_quality(&r->out);
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
