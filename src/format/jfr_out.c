/*
 * jfr_out.c - see jfr_out.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_out.h"
#include <errno.h>
#include <string.h>
#include "base/be.h"
#include "jfr/jfr_layout.h"
#include "profile/profile.h"

enum { NS_PER_SECOND = 1000000000 };

enum {
    EVENTS_ROOM = 2 << 20, /* events that wait */
    EVENT_ROOM = 64 << 10, /* more than any event has */
    OTHER_ROOM = 16 << 20, /* what goes out at once: the events, too */
    STREAM_SECONDS = 5,    /* so long a chunk of a stream lasts, which has all its constants */
};

/* ---- chunks */

static void make_header(const struct jfr_out *o, uint64_t bytes, bool is_last,
                        unsigned char ret[JFR_LAYOUT_HEADER])
{
    const struct jfr_out_chunk *c = &o->chunk;

    memset(ret, 0, JFR_LAYOUT_HEADER);
    memcpy(ret, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC));
    be_put2(ret + JFR_LAYOUT_MAJOR_AT, JFR_LAYOUT_MAJOR);
    be_put2(ret + JFR_LAYOUT_MINOR_AT, JFR_LAYOUT_MINOR);
    be_put8(ret + JFR_LAYOUT_SIZE_AT, bytes);
    be_put8(ret + JFR_LAYOUT_CHECKPOINT_AT, c->checkpoint);
    be_put8(ret + JFR_LAYOUT_METADATA_AT, c->metadata);
    be_put8(ret + JFR_LAYOUT_START_NS_AT, c->start_ns);
    be_put8(ret + JFR_LAYOUT_DURATION_NS_AT, c->end_ticks - c->start_ticks);
    be_put8(ret + JFR_LAYOUT_START_TICKS_AT, c->start_ticks);
    be_put8(ret + JFR_LAYOUT_TICKS_PER_SECOND_AT, NS_PER_SECOND);
    ret[JFR_LAYOUT_STATE_AT] = JFR_LAYOUT_FINISHED; /* at any time: what follows is not its */
    ret[JFR_LAYOUT_FLAGS_AT] = JFR_LAYOUT_COMPRESSED | (is_last ? JFR_LAYOUT_LAST : 0);
}

uint64_t jfr_out_chunk_bytes(const unsigned char header[JFR_OUT_HEADER])
{
    bool begins = memcmp(header, JFR_LAYOUT_MAGIC, sizeof(JFR_LAYOUT_MAGIC)) == 0;

    return begins ? be_8(header + JFR_LAYOUT_SIZE_AT) : 0;
}

static bool is_stream(const struct jfr_out *o)
{
    return !o->config.target.replace;
}

/* The keys that the model has by now. */
static struct jfr_schema_keys keys_of(struct profile *p)
{
    const struct context_set *contexts = profile_contexts(p);
    struct jfr_schema_keys keys = {.count = contexts->key_count};

    for (uint32_t i = 0; i < keys.count; i++) {
        const struct context_key *key = &contexts->keys[i];

        keys.of[i].name = profile_string_at(p, key->name)->bytes;
        keys.of[i].about = key->about ? profile_string_at(p, key->about)->bytes : NULL;
    }
    return keys;
}

/* The next chunk, at this moment. What waits goes into it. */
static void begin_chunk(struct jfr_out *o)
{
    o->keys = keys_of(o->config.profile);
    o->chunk = (struct jfr_out_chunk){.offset = o->chunk.offset + o->chunk.bytes,
                                      .start_ns = o->now.wall_ns,
                                      .start_ticks = o->now.monotonic_ns,
                                      .end_ticks = o->now.monotonic_ns,
                                      .first_ticks = o->now.monotonic_ns};
    jfr_pools_begin_chunk(&o->pools, o->keys.count);
    if (o->config.target.begin_chunk)
        o->config.target.begin_chunk(o->config.target.to, o, &o->now);
}

/* No event is older than its chunk, and no chunk begins when another did: readers take two such for
 * one. */
static void date_chunk(struct jfr_out *o)
{
    struct jfr_out_chunk *c = &o->chunk;

    c->start_ns -= c->start_ticks - c->first_ticks;
    c->start_ticks = c->first_ticks;
    if (c->start_ns <= o->last_start_ns) {
        c->start_ticks += o->last_start_ns + 1 - c->start_ns;
        c->start_ns = o->last_start_ns + 1;
    }
}

/* Constants that are new, and behind them, where there is room, the events that wait. Returns
 * whether those are in. */
static bool fill(struct jfr_out *o, bool is_last)
{
    struct jfr_bytes *b = &o->other;
    struct jfr_out_chunk *c = &o->chunk;
    bool has_events;

    jfr_bytes_cut(b, 0);
    if (!c->is_open) {
        static const unsigned char no_header[JFR_LAYOUT_HEADER];

        date_chunk(o);
        jfr_bytes_raw(b, no_header, sizeof(no_header));
        c->metadata = b->used;
        jfr_schema_describe(b, c->start_ticks, o->now.gmt_offset_ms, &o->keys);
    }
    if (jfr_pools_has_news(&o->pools)) {
        uint64_t at = c->bytes + b->used;

        jfr_pools_write(&o->pools, b, c->end_ticks, c->checkpoint ? at - c->checkpoint : 0);
        c->checkpoint = at;
    }
    has_events = !jfr_pools_has_news(&o->pools) && o->events.used <= b->size - b->used;
    if (has_events || is_stream(o)) /* of a chunk that is too large, constants are missing */
        jfr_bytes_raw(b, o->events.at, o->events.used);
    if (!c->is_open)
        make_header(o, b->used, is_last, b->at);
    return has_events || is_stream(o);
}

/* What did not go out is written again as soon as that can be. */
static int fail(struct jfr_out *o, int error)
{
    jfr_pools_forget(&o->pools);
    if (error != -EAGAIN)
        o->error = error;
    return error;
}

/* Everything that waits goes out. Errors: 0, or the target's. */
static int send(struct jfr_out *o, bool is_last)
{
    bool has_events = false;

    while (!has_events) {
        uint64_t checkpoint = o->chunk.checkpoint;
        int error;

        has_events = fill(o, is_last);
        error = o->config.target.append(o->config.target.to, o->other.at, o->other.used);
        if (error) {
            o->chunk.checkpoint = checkpoint;
            return fail(o, error);
        }
        if (!o->chunk.is_open)
            o->last_start_ns = o->chunk.start_ns;
        o->chunk.is_open = true;
        o->chunk.bytes += o->other.used;
    }
    o->written += o->waiting;
    o->waiting = 0;
    o->has_contexts = false;
    jfr_bytes_cut(&o->events, 0);
    return 0;
}

/* Errors: 0; the target's: the header says less than there is. */
static int renew_header(struct jfr_out *o, bool is_last)
{
    unsigned char header[JFR_LAYOUT_HEADER];
    int error;

    make_header(o, o->chunk.bytes, is_last, header);
    error = o->config.target.replace(o->config.target.to, o->chunk.offset, header, sizeof(header));
    if (error && error != -EAGAIN)
        o->error = error;
    return error;
}

static bool has_something(const struct jfr_out *o)
{
    return o->waiting > 0 || (o->chunk.is_open && jfr_pools_has_news(&o->pools));
}

/* What waits goes out, and the file says so. */
static int flush(struct jfr_out *o, bool is_last)
{
    int error = o->error;

    o->chunk.end_ticks = o->now.monotonic_ns;
    if (!error && has_something(o))
        error = send(o, is_last);
    if (!error && is_stream(o) && o->chunk.is_open)
        begin_chunk(o);
    else if (!error && o->chunk.is_open)
        error = renew_header(o, is_last);
    return error;
}

/* ---- events */

/* The clocks go on alike between two looks at them. */
static void look_at_clock(struct jfr_out *o, uint64_t now_ns)
{
    if (now_ns > o->now.monotonic_ns) {
        o->now.wall_ns += now_ns - o->now.monotonic_ns;
        o->now.monotonic_ns = now_ns;
    }
}

/*
 * There is room for an event, which comes before the keys of what it names: with a flush a chunk
 * may end, and the next one has none of its constants. Where the target takes nothing all that
 * waits is left out.
 */
static void make_room(struct jfr_out *o)
{
    if (o->events.size - o->events.used >= EVENT_ROOM)
        return;
    if (flush(o, false) != 0) {
        o->lost += o->waiting;
        o->waiting = 0;
        jfr_bytes_cut(&o->events, 0);
    }
}

static void count(struct jfr_out *o, bool has_put, uint64_t time_ns)
{
    if (has_put)
        o->waiting++;
    else
        o->lost++;
    if (time_ns < o->chunk.first_ticks && !o->chunk.is_open)
        o->chunk.first_ticks = time_ns;
    look_at_clock(o, time_ns);
}

void jfr_out_put(struct jfr_out *o, enum jfr_schema_type type, const union jfr_schema_value *values)
{
    make_room(o);
    o->has_contexts = o->has_contexts || jfr_schema_has_context(type);
    count(o, jfr_schema_put(&o->events, type, values, o->keys.count > 0), values[0].number);
}

static void put_execution_sample(struct jfr_out *o, const struct event *e, uint64_t time_ns)
{
    make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = JFR_POOLS_RUNNABLE},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_EXECUTION_SAMPLE, values);
}

static void put_cpu_time_sample(struct jfr_out *o, const struct event *e, uint64_t time_ns)
{
    make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = false}, /* has a stack */
        {.number = o->config.interval_ns},
        {.number = e->is_biased},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_TIME_SAMPLE, values);
}

/* Each interval that the sample stands for is an event: tools count them. */
static void put_sample(struct jfr_out *o, const struct event *e)
{
    for (uint64_t before = e->value[0]; before-- > 0;) {
        uint64_t time_ns = e->time_ns - before * o->config.interval_ns;

        if (o->config.samples_as & JFR_OUT_EXECUTION_SAMPLES)
            put_execution_sample(o, e, time_ns);
        if (o->config.samples_as & JFR_OUT_CPU_TIME_SAMPLES)
            put_cpu_time_sample(o, e, time_ns);
    }
}

/* Two states, which are all that async-profiler's tools know. */
static void put_wall(struct jfr_out *o, const struct event *e)
{
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = e->is_waiting ? JFR_POOLS_SLEEPING : JFR_POOLS_RUNNABLE},
        {.number = e->value[0]},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_WALL_CLOCK_SAMPLE, values);
}

static void put_heap(struct jfr_out *o, uint64_t time_ns, enum jfr_pools_when when, uint64_t used)
{
    const union jfr_schema_value values[] = {
        {.number = time_ns}, {.number = o->gc_count}, {.number = when},
        {.number = 0},       {.number = 0},           {.number = 0},
        {.number = 0},       {.number = 0},           {.number = used},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_GC_HEAP_SUMMARY, values);
}

/* The event's time is the end of the pause. */
static void put_gc(struct jfr_out *o, const struct event *e)
{
    const char *cause = e->text ? profile_string_at(o->config.profile, e->text)->bytes : NULL;
    uint64_t pause_ns = e->value[0];
    const union jfr_schema_value values[] = {
        {.number = e->time_ns - pause_ns},
        {.number = pause_ns},
        {.number = ++o->gc_count},
        {.text = cause},
        {.text = cause},
        {.number = pause_ns},
        {.number = pause_ns},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_GARBAGE_COLLECTION, values);
    const union jfr_schema_value phase[] = {
        {.number = e->time_ns - pause_ns}, {.number = pause_ns}, {.number = 0},
        {.number = o->gc_count},           {.text = "GC Pause"},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_GC_PHASE_PAUSE, phase);
    put_heap(o, e->time_ns - pause_ns, JFR_POOLS_BEFORE_GC, e->value[2]);
    put_heap(o, e->time_ns, JFR_POOLS_AFTER_GC, e->value[3]);
}

/* Of kinds that have no type of the JDK's, and of what stands for several. */
static void put_sum(struct jfr_out *o, const struct event *e)
{
    const char *text = e->text ? profile_string_at(o->config.profile, e->text)->bytes : NULL;
    struct event named = *e;
    uint64_t stack = jfr_pools_stack(&o->pools, e->trace, e->is_truncated);

    named.thread = (thread_id)jfr_pools_thread(&o->pools, e->thread);
    named.klass = (class_id)jfr_pools_class(&o->pools, e->klass);
    count(o, jfr_schema_put_sum(&o->events, &named, stack, text), e->time_ns);
}

static void put_exception(struct jfr_out *o, const struct event *e)
{
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = 0},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.text = NULL},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    if (e->value[0] == 1)
        jfr_out_put(o, JFR_SCHEMA_TYPE_JAVA_EXCEPTION_THROW, values);
    else
        put_sum(o, e);
}

/* With the fields of async-profiler's event and no other, for its tools read no further. */
static void put_live(struct jfr_out *o, const struct event *e)
{
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = e->value[2]},
        {.number = e->made_ns},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_LIVE_OBJECT, values);
}

/* The event of one sampled allocation, whose first value is the bytes that it stands for; or of one
 * object that lives. */
static void put_allocation(struct jfr_out *o, const struct event *e)
{
    if (e->made_ns) {
        put_live(o, e);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = e->value[0]},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_OBJECT_ALLOCATION_SAMPLE, values);
}

/* How long a park was meant to be, where that was not said. */
static uint64_t or_never(bool is_said, int64_t value)
{
    return (uint64_t)(is_said ? value : INT64_MIN);
}

/* The event's time is the end of the wait. */
static void put_blocked(struct jfr_out *o, const struct event *e)
{
    const struct event_blocked *b = e->blocked;
    uint64_t start_ns = e->time_ns - e->value[0];

    if (!b) {
        put_sum(o, e);
        return;
    }
    union jfr_schema_value values[JFR_SCHEMA_VALUES] = {
        {.number = start_ns},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_class(&o->pools, e->klass)},
    };
    union jfr_schema_value *rest = &values[5];
    uint64_t context = jfr_pools_context(&o->pools, e->context);

    switch (b->by) {
    case EVENT_BLOCKED_ENTER:
        rest[0].number = jfr_pools_thread(&o->pools, b->owner);
        rest[1].number = b->address;
        rest[2].number = context;
        jfr_out_put(o, JFR_SCHEMA_TYPE_JAVA_MONITOR_ENTER, values);
        break;
    case EVENT_BLOCKED_WAIT:
        rest[1].number = b->has_timeout ? (uint64_t)b->timeout : 0;
        rest[2].number = b->has_timed_out;
        rest[3].number = b->address;
        rest[4].number = context;
        jfr_out_put(o, JFR_SCHEMA_TYPE_JAVA_MONITOR_WAIT, values);
        break;
    case EVENT_BLOCKED_PARK:
        rest[0].number = or_never(b->has_timeout, b->timeout);
        rest[1].number = or_never(b->has_until, b->until_ms);
        rest[2].number = b->address;
        rest[3].number = context;
        jfr_out_put(o, JFR_SCHEMA_TYPE_THREAD_PARK, values);
    }
}

static void put_load(struct jfr_out *o, const struct event *e)
{
    double possible = (double)e->value[3];
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.real = (double)e->value[0] / possible},
        {.real = (double)e->value[1] / possible},
        {.real = (double)e->value[2] / possible},
    };

    if (e->value[3] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_LOAD, values);
}

/* Levels that are not known have no event. */
static void put_levels(struct jfr_out *o, const struct event *e)
{
    const struct event_levels *l = e->levels;
    const union jfr_schema_value heap[] = {{.number = e->time_ns}, {.number = e->value[1]}};

    if (!l) {
        put_sum(o, e);
        return;
    }
    const union jfr_schema_value resident[] = {
        {.number = e->time_ns}, {.number = e->value[2]}, {.number = l->resident_peak_bytes}};
    const union jfr_schema_value threads[] = {{.number = e->time_ns},
                                              {.number = e->value[3]},
                                              {.number = l->daemon_threads},
                                              {.number = l->started_threads},
                                              {.number = l->peak_threads}};

    if (e->value[1] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_GC_HEAP_MEMORY_USAGE, heap);
    if (e->value[2] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_RESIDENT_SET_SIZE, resident);
    if (e->value[3] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_JAVA_THREAD_STATISTICS, threads);
}

/* The program has named a key: its events have one field more, in the next chunk. Where the target
 * takes nothing by now, the chunk goes on without that key. */
static void note_keys(struct jfr_out *o)
{
    if (o->keys.count == profile_contexts(o->config.profile)->key_count)
        return;
    if (!o->chunk.is_open && !o->has_contexts) {
        o->keys = keys_of(o->config.profile);
        o->pools.keys = o->keys.count;
    } else if (flush(o, false) == 0 && !is_stream(o)) {
        begin_chunk(o);
    }
}

/* Kinds whose events have a type of the JDK's. */
static void (*const put_kind[EVENT_KINDS])(struct jfr_out *o, const struct event *e) = {
    [EVENT_SAMPLE] = put_sample,   [EVENT_GC] = put_gc,         [EVENT_EXCEPTION] = put_exception,
    [EVENT_SITE] = put_allocation, [EVENT_ENTER] = put_blocked, [EVENT_AWAIT] = put_blocked,
    [EVENT_LOAD] = put_load,       [EVENT_LEVEL] = put_levels,  [EVENT_WALL] = put_wall,
};

void jfr_out_event(struct jfr_out *o, const struct event *event)
{
    note_keys(o);
    make_room(o);
    if (!o->error && put_kind[event->kind])
        put_kind[event->kind](o, event);
    else if (!o->error)
        put_sum(o, event);
}

void jfr_out_lost(struct jfr_out *o, uint64_t time_ns, thread_id thread, uint64_t samples)
{
    make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns}, {.number = samples}, {.number = jfr_pools_thread(&o->pools, thread)}};

    if (!o->error)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_TIME_SAMPLES_LOST, values);
}

/* A table may have rows that say nothing. */
static bool is_zero(const struct event *e)
{
    for (uint32_t i = 0; i < event_values(e->kind); i++)
        if (e->value[i] != 0)
            return false;
    return true;
}

void jfr_out_sum(struct jfr_out *o, const struct event *event, uint64_t now_ns)
{
    struct event dated = *event;

    dated.time_ns = now_ns;
    make_room(o);
    if (!o->error && event->kind != EVENT_SAMPLE && !is_zero(event))
        put_sum(o, &dated);
}

/* ---- life */

int jfr_out_open(struct jfr_out *o, const struct jfr_out_config *config,
                 const struct jfr_out_time *now)
{
    size_t piece =
        config->piece_bytes && config->piece_bytes < OTHER_ROOM ? config->piece_bytes : OTHER_ROOM;

    *o = (struct jfr_out){.config = *config, .now = *now};
    if (jfr_bytes_open(&o->events, EVENTS_ROOM < piece / 2 ? EVENTS_ROOM : piece / 2) != 0 ||
        jfr_bytes_open(&o->other, piece) != 0) {
        jfr_bytes_close(&o->events);
        return -ENOMEM;
    }
    jfr_pools_init(&o->pools, config->profile, config->marks_bytes);
    begin_chunk(o);
    return 0;
}

static bool is_due(const struct jfr_out *o)
{
    const struct jfr_out_chunk *c = &o->chunk;

    return c->is_open && (c->bytes >= o->config.chunk_bytes ||
                          o->now.monotonic_ns - c->start_ticks >= o->config.chunk_ns);
}

int jfr_out_flush(struct jfr_out *o, const struct jfr_out_time *now, bool is_end)
{
    bool is_early =
        is_stream(o) && !is_end && o->events.used < o->events.size / 2 &&
        now->monotonic_ns - o->chunk.start_ticks < (uint64_t)STREAM_SECONDS * NS_PER_SECOND;

    look_at_clock(o, now->monotonic_ns);
    if (!is_early && flush(o, is_end) == 0 && !is_end && is_due(o)) {
        o->now = *now;
        begin_chunk(o);
    }
    return o->error;
}

void jfr_out_close(struct jfr_out *o)
{
    jfr_bytes_close(&o->events);
    jfr_bytes_close(&o->other);
    jfr_pools_done(&o->pools);
}
