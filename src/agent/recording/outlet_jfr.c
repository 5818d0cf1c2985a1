/*
 * outlet_jfr.c - format=jfr, or a file= that ends in .jfr: a recording as a JFR file.
 *
 * Events are encoded as they come (format/jfr_out.h). A thread of this writer flushes them each
 * second. The bytes then wait in the recording's own output, whose writer thread is the only one
 * that waits for a disk or a peer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording/outlet.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/commit/commit_type.h"
#include "agent/log.h"
#include "agent/recording/outlet_facts.h"
#include "agent/recording/recording.h"
#include "base/os_thread.h"
#include "format/jfr_out.h"
#include "format/jfr_put.h"
#include "format/writer.h"
#include "options/options_settings.h"
#include "profile/quality.h"
#include "profile/tally.h"
#include "safe/bell.h"
#include "safe/clock.h"

enum {
    FLUSH_MS = 1000,
    /* of FLUSH_MS: the time from the flush until readers are shown what was flushed */
    SHOW_MS = 500,
    BUSY_MS = 5, /* after this time a lock that was not free is tried again */
    CHUNK_BYTES = 16 << 20,
    CHUNK_SECONDS = 3600,
    QUALITY_MAX = 256,
};

struct outlet_jfr {
    struct agent *a;
    struct recording *r;
    struct jfr_out out;
    struct outlet_facts facts;
    enum { NOT_OPEN, OPEN, FAILED } state; /* of `out` */
    bool has_facts;
    int64_t gmt_offset_ms;
    uint64_t told[QUALITY_MAX]; /* the quality counts that have been written */
    pthread_t thread;
    bool has_thread;
    _Atomic bool stop;
    struct bell wake;
};

/* ---- the target */

static int append(void *to, const void *bytes, size_t len)
{
    return output_append(&((struct outlet_jfr *)to)->r->output, bytes, len);
}

static int replace(void *to, uint64_t offset, const void *bytes, size_t len)
{
    return output_replace(&((struct outlet_jfr *)to)->r->output, offset, bytes, len);
}

static int start(void *to, uint64_t offset, const void *bytes, size_t len, uint64_t length)
{
    return output_start(&((struct outlet_jfr *)to)->r->output, offset, bytes, len, length);
}

static int resize(void *to, uint64_t length)
{
    return output_resize(&((struct outlet_jfr *)to)->r->output, length);
}

/* Write the settings that the user asked for, of events that the schema has. */
static void put_settings(struct outlet_jfr *j, struct jfr_out *o, uint64_t time_ns)
{
    struct options_settings_one one;
    for (int at = 0; options_settings_next(&j->r->options, &at, &one);) {
        const union jfr_schema_value values[] = {{.number = time_ns},
                                                 {.number = jfr_schema_id_named(one.event)},
                                                 {.text = one.name},
                                                 {.text = one.value}};
        if (values[1].number)
            jfr_out_put(o, JFR_SCHEMA_TYPE_ACTIVE_SETTING, values);
    }
}

static void begin_chunk(void *to, struct jfr_out *o, const struct jfr_out_time *time)
{
    struct outlet_jfr *j = to;
    char place[PATH_MAX];
    uint64_t age_ns = time->monotonic_ns - j->r->began_ns;
    uint64_t duration_ns = j->r->options.ends.duration_ns;
    output_place(&j->r->output, place);
    const union jfr_schema_value recording[] = {
        {.number = time->monotonic_ns},
        {.number = 0},
        {.number = j->r->number},
        {.text = j->r->name},
        {.text = place},
        {.number = INT64_MAX},           /* no maximal age, */
        {.number = (uint64_t)INT64_MIN}, /* and no maximal size */
        {.number = (time->wall_ns - age_ns) / NS_PER_MS},
        {.number = duration_ns > 0 ? duration_ns / NS_PER_MS : INT64_MAX},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_ACTIVE_RECORDING, recording);
    put_settings(j, o, time->monotonic_ns);
    outlet_facts_put(&j->facts, o, time->monotonic_ns);
}

/* ---- life */

static bool is_wanted(const struct options *o)
{
    return o->format == 'j';
}

/*
 * How many bytes of a file are whole chunks, by their headers. On a full disk the last chunk may be
 * written in part, and tools want files that end with a whole chunk.
 */
static uint64_t whole_bytes(int fd)
{
    unsigned char header[JFR_OUT_HEADER];
    uint64_t at = 0, size = 1;
    struct stat file;
    if (fstat(fd, &file) != 0)
        return 0;
    while (size > 0 && pread(fd, header, sizeof(header), (off_t)at) == (ssize_t)sizeof(header)) {
        size = jfr_out_chunk_bytes(header);
        if (size > (uint64_t)file.st_size - at)
            size = 0;
        at += size;
    }
    return at;
}

static unsigned samples_as(const struct options *o)
{
    return (options_settings_is_on(o, "jdk.ExecutionSample") ? JFR_OUT_EXECUTION_SAMPLES : 0u) |
           (options_settings_is_on(o, "jdk.CPUTimeSample") ? JFR_OUT_CPU_TIME_SAMPLES : 0u);
}

/* The size that a file is given at once; less if the process has a limit for the size of files. */
static uint64_t chunk_bytes(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur / 2 < CHUNK_BYTES)
        return most.rlim_cur / 2;
    return CHUNK_BYTES;
}

static void open_chunk(struct outlet_jfr *j)
{
    const struct options *options = &j->r->options;
    struct jfr_out_config config = {
        .profile = j->a->profile,
        .target = {append, j->r->output.is_ours ? replace : NULL, start, resize, begin_chunk, j},
        .chunk_bytes = chunk_bytes(),
        .chunk_ns = (uint64_t)CHUNK_SECONDS * NS_PER_S,
        .interval_ns = options->interval_ns,
        .samples_as = samples_as(options),
        .piece_bytes = output_room(&j->r->output),
        .marks_bytes = budget_bytes(options->mem_bytes, BUDGET_MARKS),
        .customs = commit_type_all(),
    };
    struct jfr_out_time time = jfr_out_now(j->gmt_offset_ms);
    j->state = OPEN;
    if (jfr_out_open(&j->out, &config, &time) != 0) {
        log_error("no memory for the JFR recording: nothing is written");
        j->state = FAILED;
    }
}

/*
 * Open the first chunk. This happens at the first event or at a flush, when the recording has its
 * name and its time. Returns whether there is a chunk.
 */
static bool is_open(struct outlet_jfr *j)
{
    if (j->state == NOT_OPEN && j->r->is_counting)
        open_chunk(j);
    return j->state == OPEN;
}

static void flush(struct outlet_jfr *j, bool is_end)
{
    struct jfr_out_time time = jfr_out_now(j->gmt_offset_ms);
    if (is_open(j))
        jfr_out_flush(&j->out, &time, is_end);
}

/*
 * The thread only tries to take the agent's lock, because the thread that ends the file holds
 * this lock and waits for this thread. The first flushes come soon, so that a file can be read as
 * soon as its recording counts.
 */
static void *flush_loop(void *argument)
{
    struct outlet_jfr *j = argument;
    uint32_t wait_ms = BUSY_MS, next_ms = BUSY_MS;
    bool is_hidden = false;
    agent_exempt_begin();
    while (!j->stop) {
        bell_wait(&j->wake, wait_ms);
        if (j->stop || !agent_try_lock(j->a)) {
            wait_ms = BUSY_MS;
            continue;
        }
        if (is_hidden && j->state == OPEN)
            (void)jfr_out_show(&j->out);
        else
            flush(j, false);
        is_hidden = !is_hidden && j->state == OPEN;
        next_ms = j->state != NOT_OPEN || next_ms >= FLUSH_MS ? FLUSH_MS - SHOW_MS : next_ms * 2;
        agent_unlock(j->a);
        wait_ms = next_ms;
    }
    agent_exempt_end();
    return NULL;
}

static void start_thread(struct outlet_jfr *j)
{
    j->has_thread = os_thread_start(&j->thread, "HPROF JFR", flush_loop, j) == 0;
    if (!j->has_thread)
        log_error("cannot start the thread that writes each second: events wait longer");
}

static int begin(struct writer_out *o)
{
    struct outlet_jfr *j = o->state;
    j->gmt_offset_ms = jfr_out_gmt_offset_ms();
    outlet_facts_collect(&j->facts, j->a, &j->r->options);
    j->has_facts = true;
    start_thread(j);
    return 0;
}

static int take_event(struct writer_out *o, const struct event *e)
{
    struct outlet_jfr *j = o->state;
    if (!is_open(j))
        return 0;
    if (e->time_ns)
        jfr_put_event(&j->out, e);
    else
        jfr_put_total(&j->out, e, clock_monotonic_ns());
    return 0;
}

/*
 * Lost samples are an event of the CPU time samples only (jdk.CPUTimeSamplesLost). Execution
 * samples have no such event.
 */
static void take_lost(struct writer_out *o, thread_id thread, uint64_t samples)
{
    struct outlet_jfr *j = o->state;
    if (!is_open(j) || !(j->out.config.samples_as & JFR_OUT_CPU_TIME_SAMPLES))
        return;
    for (; samples > 0; samples -= samples < INT32_MAX ? samples : INT32_MAX)
        jfr_put_lost(&j->out, clock_monotonic_ns(), thread,
                     samples < INT32_MAX ? samples : INT32_MAX);
}

static int take_table(struct writer_out *o, struct writer_table *t)
{
    struct outlet_jfr *j = o->state;
    uint64_t time_ns = clock_monotonic_ns();
    for (uint32_t i = 0; is_open(j) && i < t->count; i++)
        jfr_put_total(&j->out, &t->rows[i], time_ns);
    return 0;
}

static void take_timings(struct writer_out *o, const struct event_timing *rows, uint32_t count)
{
    struct outlet_jfr *j = o->state;
    uint64_t time_ns = clock_monotonic_ns();
    for (uint32_t i = 0; is_open(j) && i < count; i++)
        jfr_put_timing(&j->out, &rows[i], time_ns);
}

/* Write the quality counts that have changed. */
static void put_quality(struct outlet_jfr *j)
{
    uint32_t count;
    const struct profile_quality *quality = tally_quality(j->r->tally, &count);
    uint64_t time_ns = clock_monotonic_ns();
    for (uint32_t i = 0; i < count && i < QUALITY_MAX; i++) {
        if (quality[i].count == j->told[i])
            continue;
        j->told[i] = quality[i].count;
        jfr_put_quality(&j->out, time_ns, quality[i].name, quality[i].count);
    }
    if (j->out.lost)
        jfr_put_quality(&j->out, time_ns, quality_name(QUALITY_JFR_LOST), j->out.lost);
}

static void flush_dump(struct writer_out *o)
{
    struct outlet_jfr *j = o->state;
    if (is_open(j))
        put_quality(j);
    flush(j, false);
    if (j->state == OPEN)
        (void)jfr_out_show(&j->out);
}

static int end(struct writer_out *o)
{
    struct outlet_jfr *j = o->state;
    if (j->has_thread) {
        j->stop = true;
        bell_ring(&j->wake);
        pthread_join(j->thread, NULL);
    }
    if (j->has_facts && j->state == NOT_OPEN) /* the recording ends before its first second */
        open_chunk(j);
    if (j->has_facts && is_open(j)) {
        put_quality(j);
        flush(j, true);
        jfr_out_close(&j->out);
    }
    if (j->has_facts)
        outlet_facts_done(&j->facts);
    free(j);
    return 0;
}

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_CONTEXTS | WRITER_TIERS | WRITER_TIMINGS,
    .begin = begin,
    .event = take_event,
    .lost = take_lost,
    .table = take_table,
    .timings = take_timings,
    .flush = flush_dump,
    .end = end,
};

static int create(struct agent *a, struct recording *r, struct writer_out *ret)
{
    struct outlet_jfr *j = calloc(1, sizeof(*j));
    if (!j) {
        log_error("no memory for the JFR recording");
        return -ENOMEM;
    }
    j->a = a;
    j->r = r;
    r->output.whole = whole_bytes;
    ret->writer = &writer;
    ret->state = j;
    return 0;
}

const struct outlet outlet_jfr = {
    .name = "jfr",
    .is_wanted = is_wanted,
    .create = create,
};
