/*
 * monitor_note.c - see monitor.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/monitor/monitor.h"
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/blocked/blocked.h"
#include "agent/engine/engine.h"
#include "agent/monitor/monitor_table.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "base/javaname.h"
#include "format/writer_monitors.h"
#include "profile/sums.h"

struct vm_threads_row monitor_note_row_of_thread = {.bytes = sizeof(struct monitor_thread)};

enum { CUT = 16 }; /* flag in a row's kind: its stack had more frames */

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti;
    struct monitor_table table;
    uint32_t settled; /* rows that have a trace */
    /*
     * Indexed by the place of a recording: time without a row since the last table; what had been
     * lost before the recording began; how many contentions have ended since then.
     */
    struct {
        uint64_t rowless_ns, hits_lost, lines_lost, hits;
    } of[AGENT_RECORDINGS];
} note;

int monitor_note_init(size_t budget)
{
    return monitor_table_init(&note.table, budget);
}

void monitor_note_done(void)
{
    monitor_table_done(&note.table);
    note.jvmti = NULL;
    note.settled = 0;
}

void monitor_note_open(struct agent *a, jvmtiEnv *jvmti)
{
    note.agent = a;
    note.jvmti = jvmti;
}

/* ---- with the agent's lock */

static string_id name_of(struct agent *a, const struct monitor_table_row *row)
{
    char name[1024];
    return blocked_text(a, javaname_of_type(row->name, name, sizeof(name)),
                        (enum blocked_by)(row->kind & ~CUT));
}

/* Turn the frames into a trace early, while their classes are most likely still loaded. */
static void settle_row(struct agent *a, struct monitor_table_row *row)
{
    thread_id thread = row->thread ? profile_thread_by_serial(a->profile, row->thread) : 0;
    struct traces_stack stack;
    stack.own = 0;
    stack.is_cut = false;
    stack.count = stack.depth = (jint)(row->frame_bytes / sizeof(stack.frames[0]));
    memcpy(stack.frames, row->frames, row->frame_bytes);
    row->trace = traces_of(a, thread, &stack);
}

void monitor_note_settle(struct agent *a)
{
    struct monitor_table_line line;
    struct recording *r;
    for (int i = 0; i < MONITOR_TABLE_LINES && monitor_table_next_line(&note.table, &line); i++) {
        const struct writer_wait wait = {.object = profile_cstring(a->profile, line.name),
                                         .has_ended = line.waited,
                                         .ms = line.ms,
                                         .thread = line.thread};
        for (int at = 0; (r = engine_recording(a, &engine_monitor, &at)) != NULL;)
            recording_wait(r, &wait);
    }
    while (note.settled < monitor_table_rows(&note.table))
        settle_row(a, monitor_table_at(&note.table, ++note.settled));
}

static void settle_if_free(void)
{
    struct agent *a = note.agent;
    if (!agent_try_lock(a))
        return;
    if (!a->closed)
        monitor_note_settle(a);
    agent_unlock(a);
}

static void count_row(struct agent *a, struct recording *r, const struct monitor_table_row *row,
                      struct monitor_table_count count)
{
    struct event event = {
        .kind = KIND_ENTER, .text = row ? name_of(a, row) : 0, .value = {count.ns, count.hits}};
    if (row) {
        event.trace = recording_trace(a, r, row->trace, &event.is_truncated);
        event.is_truncated = event.is_truncated || row->kind & CUT;
    }
    note.of[r->place].hits += count.hits;
    if (!event.trace || recording_count(a, r, &event) != 0)
        note.of[r->place].rowless_ns += count.ns;
}

void monitor_note_count(struct agent *a)
{
    struct recording *r;
    for (uint32_t id = 0; id <= note.settled; id++) {
        struct monitor_table_count count = monitor_table_take(&note.table, id);
        const struct monitor_table_row *row = id ? monitor_table_at(&note.table, id) : NULL;
        for (int at = 0;
             (count.hits || count.ns) && (r = engine_recording(a, &engine_monitor, &at)) != NULL;)
            count_row(a, r, row, count);
    }
}

void monitor_note_write_time(struct recording *r)
{
    struct sums *sums = tally_sums(r->tally, KIND_ENTER);
    struct writer_table table = {.kind = KIND_ENTER,
                                 .is_of_events = true,
                                 .rows = calloc(sums->rows.count + 1, sizeof(*table.rows)),
                                 .total = sums->total[0] + note.of[r->place].rowless_ns};
    for (uint32_t i = 1; table.rows && i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        table.rows[table.count++] = (struct event){.kind = KIND_ENTER,
                                                   .trace = sum->trace,
                                                   .text = sum->text,
                                                   .value = {sum->value[0], sum->value[1]}};
    }
    recording_rows(r, &table);
    free(table.rows);
    sums_clear(sums);
    note.of[r->place].rowless_ns = 0;
}

void monitor_note_join(const struct recording *r)
{
    note.of[r->place].rowless_ns = 0;
    note.of[r->place].hits_lost = note.table.lost_total.hits;
    note.of[r->place].lines_lost = note.table.lines_lost;
    note.of[r->place].hits = 0;
}

uint64_t monitor_note_hits(const struct recording *r)
{
    return note.of[r->place].hits;
}

void monitor_note_set_quality(struct recording *r)
{
    recording_set_quality(r, QUALITY_MONITOR_HITS_LOST,
                          note.table.lost_total.hits - note.of[r->place].hits_lost);
    recording_set_quality(r, QUALITY_MONITOR_LINES_LOST,
                          note.table.lines_lost - note.of[r->place].lines_lost);
    recording_put_quality(r);
}

/* ---- on the thread itself */

/* The signature of an object's class; the caller deallocates it. NULL: there is none. */
static char *signature_of(JNIEnv *env, jobject object)
{
    jclass klass = (*env)->GetObjectClass(env, object);
    char *signature = NULL;
    if ((*note.jvmti)->GetClassSignature(note.jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        signature = NULL;
    (*env)->DeleteLocalRef(env, klass);
    return signature;
}

uint32_t monitor_note_row(JNIEnv *env, const struct thread *self, enum blocked_by by,
                          jobject object, int skip)
{
    const struct options *o = &note.agent->options;
    char *signature = object ? signature_of(env, object) : NULL;
    struct traces_stack stack;
    uint32_t row;
    traces_take(note.agent, NULL, skip, o->depth, &stack);
    row =
        monitor_table_row(&note.table, (int)by | (stack.is_cut ? CUT : 0),
                          signature ? signature : "<none>", o->thread ? self->serial : 0,
                          stack.frames, (uint32_t)stack.count * (uint32_t)sizeof(stack.frames[0]));
    if (signature)
        (*note.jvmti)->Deallocate(note.jvmti, (unsigned char *)signature);
    return row;
}

void monitor_note_add(uint32_t row, uint64_t ns)
{
    monitor_table_add(&note.table, row, ns);
    settle_if_free();
}

void monitor_note_add_time(uint32_t row, uint64_t ns)
{
    monitor_table_add_time(&note.table, row, ns);
}

void monitor_note_line(JNIEnv *env, const struct thread *self, jobject object, int waited,
                       int64_t ms)
{
    char *signature = signature_of(env, object);
    monitor_table_add_line(&note.table, waited, signature ? signature : "<none>", ms, self->serial);
    if (signature)
        (*note.jvmti)->Deallocate(note.jvmti, (unsigned char *)signature);
    settle_if_free();
}
