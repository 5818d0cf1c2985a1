/*
 * jfr_put.c - see jfr_put.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_put.h"
#include "format/jfr_out.h"
#include "profile/custom.h"
#include "profile/profile.h"

static void put_execution_sample(struct jfr_out *o, const struct event *e, uint64_t time_ns)
{
    jfr_out_make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = JFR_POOLS_ON_CPU},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_EXECUTION_SAMPLE, values);
}

static void put_cpu_time_sample(struct jfr_out *o, const struct event *e, uint64_t time_ns)
{
    jfr_out_make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = false}, /* not failed: the sample has a stack */
        {.number = o->config.interval_ns},
        {.number = e->is_biased},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };

    jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_TIME_SAMPLE, values);
}

/* Writes one event for each interval that the sample stands for, because tools count events. */
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

/* Writes one of two thread states: async-profiler's tools know no others. */
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

/* NULL: the event has no text. */
static const char *text_of(const struct jfr_out *o, const struct event *e)
{
    return e->text ? profile_string_at(o->config.profile, e->text)->bytes : NULL;
}

/* The event's time is the end of the pause. */
static void put_gc(struct jfr_out *o, const struct event *e)
{
    const char *cause = text_of(o, e);
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

/* Writes a sum of our own (jfr_schema.h): for a kind without a type of the JDK's, and for a row
 * that stands for several events. */
static void put_sum(struct jfr_out *o, const struct event *e)
{
    const char *text = text_of(o, e);
    struct event named = *e;
    uint64_t stack = jfr_pools_stack(&o->pools, e->trace, e->is_truncated);
    named.thread = (thread_id)jfr_pools_thread(&o->pools, e->thread);
    named.klass = (class_id)jfr_pools_class(&o->pools, e->klass);
    jfr_out_count(o, jfr_schema_put_sum(&o->events, &named, stack, text), e->time_ns);
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

/* Writes the fields of async-profiler's event and no others: its tools do not read more fields. */
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

/* Writes a sampled allocation, whose first value is the number of bytes that it stands for. If
 * `made_ns` is set, the event is an object that lives. */
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

/* The intended end of a park. If the program gave none, the field is the least number, as in
 * HotSpot's unsafe.cpp (min_jlong). */
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
        break;
    case EVENT_BLOCKED_NATIVE:
        values[4].text = profile_string_at(o->config.profile, e->text)->bytes;
        rest[0].number = b->address;
        rest[1].number = jfr_pools_thread(&o->pools, b->owner);
        rest[2].number = b->has_timed_out;
        rest[3].number = context;
        jfr_out_put(o, JFR_SCHEMA_TYPE_NATIVE_LOCK_WAIT, values);
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

/* The four values are: the time of the loading; 1 if the class was loaded; the bytes of its class
 * file; 1 if the class was unloaded. */
static void put_class(struct jfr_out *o, const struct event *e)
{
    const union jfr_schema_value loaded[] = {
        {.number = e->time_ns - e->value[0]},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = jfr_pools_loader(&o->pools, e->text)},
        {.number = 0}, /* initiatingClassLoader: not known */
        {.number = e->value[2]},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };
    const union jfr_schema_value gone[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = jfr_pools_loader(&o->pools, e->text)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
    };

    if (e->value[1] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CLASS_LOAD, loaded);
    if (e->value[3] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CLASS_UNLOAD, gone);
}

/* Writes the fields of async-profiler's events and no others: its tools do not read more fields. A
 * row that tells what is held at one moment has no event: the events of blocks say it. */
static void put_block(struct jfr_out *o, const struct event *e)
{
    const struct event_block *block = e->block;
    if (!block)
        return;
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = block->is_freed ? 0 : jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = block->address},
        {.number = block->bytes},
    };
    jfr_out_put(o, block->is_freed ? JFR_SCHEMA_TYPE_FREE : JFR_SCHEMA_TYPE_MALLOC, values);
}

/* If `made_ns` is set, the event is what is left of a mapping at its time. A sum has no range. */
static void put_mapping(struct jfr_out *o, const struct event *e)
{
    const struct event_block *range = e->block;
    if (!range)
        return;
    const union jfr_schema_value gone[] = {
        {.number = e->time_ns},
        {.number = range->address},
        {.number = range->bytes},
    };
    if (range->is_freed) {
        jfr_out_put(o, JFR_SCHEMA_TYPE_MUNMAP, gone);
        return;
    }
    const union jfr_schema_value made[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = range->address},
        {.number = range->bytes},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };
    const union jfr_schema_value left[] = {
        {.number = e->made_ns},
        {.number = e->time_ns - e->made_ns},
        made[1],
        made[2],
        made[3],
        made[4],
    };
    jfr_out_put(o, e->made_ns ? JFR_SCHEMA_TYPE_STILL_MAPPED : JFR_SCHEMA_TYPE_MMAP,
                e->made_ns ? left : made);
}

/* The event's time is the end of the call. */
static void put_call(struct jfr_out *o, const struct event *e)
{
    if (!e->call) {
        put_sum(o, e);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns - e->value[0]},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.number = jfr_pools_method(&o->pools, e->call->method)},
        {.number = jfr_pools_class(&o->pools, e->klass)},
        {.number = e->value[2]},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };
    jfr_out_put(o, JFR_SCHEMA_TYPE_METHOD_TRACE, values);
}

/* The event's time is the moment at which the last thread had come. */
static void put_safepoint(struct jfr_out *o, const struct event *e)
{
    const struct event_safepoint *s = e->safepoint;
    if (!s) {
        put_sum(o, e);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns - e->value[0]},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.text = text_of(o, e)},
        {.text = s->late_in},
        {.number = s->late_threads},
        {.number = e->value[1]},
    };
    jfr_out_put(o, JFR_SCHEMA_TYPE_TIME_TO_SAFEPOINT, values);
}

/* The event's time is the moment at which the VM told of the code. */
static void put_compilation(struct jfr_out *o, const struct event *e)
{
    const struct event_compilation *c = e->of_vm.compilation;
    if (!c) {
        put_sum(o, e);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},  {.number = jfr_pools_method(&o->pools, c->method)},
        {.number = c->id},       {.number = c->level},
        {.number = true},        {.number = c->is_osr},
        {.number = e->value[1]}, {.text = text_of(o, e)},
    };
    jfr_out_put(o, JFR_SCHEMA_TYPE_COMPILATION, values);
}

/* Writes one event for each trap, because tools count events. */
static void put_deoptimization(struct jfr_out *o, const struct event *e)
{
    const struct event_compilation *c = e->of_vm.compilation;
    if (!c) {
        put_sum(o, e);
        return;
    }
    const char *reason = text_of(o, e);
    for (uint64_t i = 0; i < e->value[0] && i < EVENT_TRAPS_MOST; i++) {
        jfr_out_make_room(o);
        const union jfr_schema_value values[] = {
            {.number = e->time_ns},
            {.number = jfr_pools_method(&o->pools, c->method)},
            {.text = reason},
        };
        jfr_out_put(o, JFR_SCHEMA_TYPE_DEOPTIMIZATION, values);
    }
    const union jfr_schema_value given_up[] = {
        {.number = e->time_ns}, {.number = jfr_pools_method(&o->pools, c->method)},
        {.text = reason},       {.number = c->id},
        {.number = c->level},   {.number = c->is_osr},
    };
    if (e->value[1] > 0)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CODE_GIVEN_UP, given_up);
}

/* The four values are: 1 for a look; the used and the reserved bytes; 1 if the heap was full. */
static void put_code_heap(struct jfr_out *o, const struct event *e)
{
    const struct event_code_heap *h = e->of_vm.code_heap;
    if (!h) {
        put_sum(o, e);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},       {.text = text_of(o, e)},       {.number = h->start},
        {.number = h->committed_top}, {.number = h->reserved_top},   {.number = h->entries},
        {.number = h->methods},       {.number = h->adapters},       {.number = h->free_bytes},
        {.number = h->full_count},    {.number = h->capacity_bytes},
    };
    jfr_out_put(
        o, h->is_full ? JFR_SCHEMA_TYPE_CODE_CACHE_FULL : JFR_SCHEMA_TYPE_CODE_CACHE_STATISTICS,
        values);
}

/* The time of a pinned thread's event is when the thread went on. */
static void put_virtual(struct jfr_out *o, const struct event *e)
{
    const struct event_virtual *v = e->of_vm.virtual;
    if (!v) {
        put_sum(o, e);
        return;
    }
    if (v->what != EVENT_VIRTUAL_PINNED) {
        const union jfr_schema_value lives[] = {{.number = e->time_ns}, {.number = v->java_id}};
        jfr_out_put(o,
                    v->what == EVENT_VIRTUAL_START ? JFR_SCHEMA_TYPE_VIRTUAL_THREAD_START
                                                   : JFR_SCHEMA_TYPE_VIRTUAL_THREAD_END,
                    lives);
        return;
    }
    const union jfr_schema_value values[] = {
        {.number = e->time_ns - e->value[0]},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.text = v->operation},
        {.text = text_of(o, e)},
        {.number = jfr_pools_thread(&o->pools, v->carrier)},
        {.number = v->java_id},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };
    jfr_out_put(o, JFR_SCHEMA_TYPE_VIRTUAL_THREAD_PINNED, values);
}

static void put_perf(struct jfr_out *o, const struct event *e)
{
    const union jfr_schema_value values[] = {
        {.number = e->time_ns},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
        {.text = text_of(o, e)},
        {.number = e->value[0]},
        {.number = jfr_pools_context(&o->pools, e->context)},
    };
    if (e->value[1] == 1)
        jfr_out_put(o, JFR_SCHEMA_TYPE_PERF_SAMPLE, values);
    else
        put_sum(o, e);
}

/* The event's time is the end of the call. */
static void put_io(struct jfr_out *o, const struct event *e)
{
    static const enum jfr_schema_type types[] = {
        [EVENT_IO_FILE_READ] = JFR_SCHEMA_TYPE_FILE_READ,
        [EVENT_IO_FILE_WRITE] = JFR_SCHEMA_TYPE_FILE_WRITE,
        [EVENT_IO_FILE_FORCE] = JFR_SCHEMA_TYPE_FILE_FORCE,
        [EVENT_IO_SOCKET_READ] = JFR_SCHEMA_TYPE_SOCKET_READ,
        [EVENT_IO_SOCKET_WRITE] = JFR_SCHEMA_TYPE_SOCKET_WRITE,
        [EVENT_IO_SOCKET_CONNECT] = JFR_SCHEMA_TYPE_SOCKET_CONNECT,
        [EVENT_IO_SOCKET_ACCEPT] = JFR_SCHEMA_TYPE_SOCKET_ACCEPT,
    };
    const struct event_io *io = e->io;
    if (!io) {
        put_sum(o, e);
        return;
    }
    union jfr_schema_value values[JFR_SCHEMA_VALUES] = {
        {.number = e->time_ns - e->value[0]},
        {.number = e->value[0]},
        {.number = jfr_pools_thread(&o->pools, e->thread)},
        {.number = jfr_pools_stack(&o->pools, e->trace, e->is_truncated)},
    };
    union jfr_schema_value *rest = &values[4];
    if (io->op >= EVENT_IO_SOCKET_READ) {
        (rest++)->text = io->host;
        (rest++)->text = io->address;
        (rest++)->number = io->port;
    } else {
        (rest++)->text = io->path;
    }
    if (io->op == EVENT_IO_SOCKET_READ)
        (rest++)->number = io->timeout_ms;
    if (io->op == EVENT_IO_FILE_FORCE)
        (rest++)->number = io->with_metadata;
    if (io->op == EVENT_IO_FILE_READ || io->op == EVENT_IO_SOCKET_READ) {
        (rest++)->number = e->value[2];
        (rest++)->number = io->is_end;
    }
    if (io->op == EVENT_IO_FILE_WRITE || io->op == EVENT_IO_SOCKET_WRITE)
        (rest++)->number = e->value[3];
    rest->number = jfr_pools_context(&o->pools, e->context);
    jfr_out_put(o, types[io->op], values);
}

/* A level that is not known is 0, and gets no event. */
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

/* Copies the values, and replaces threads and classes by their keys in the pools of the chunk. */
static void find_keys(struct jfr_out *o, const struct custom_event *custom, union custom_value *ret)
{
    const struct custom_type *type = custom->type;
    for (uint32_t i = 0; i < type->field_count; i++) {
        ret[i] = custom->values[i];
        if (type->fields[i].sort == CUSTOM_THREAD)
            ret[i].thread = (thread_id)jfr_pools_thread(&o->pools, ret[i].thread);
        else if (type->fields[i].sort == CUSTOM_CLASS)
            ret[i].klass = (class_id)jfr_pools_class(&o->pools, ret[i].klass);
    }
}

/* The event's time is its end. The chunk notes this time and not the start, so that an event which
 * began long ago does not move the start of the recording back. If the chunk's metadata has no room
 * for the event's type, the event is lost. */
static void put_custom(struct jfr_out *o, const struct event *e)
{
    const struct custom_event *custom = e->custom;
    union custom_value values[CUSTOM_FIELDS];
    const struct custom_event keyed = {.type = custom->type, .values = values};
    bool has_type = custom->type->number < o->keys.custom_count;
    if (has_type) {
        const struct jfr_schema_of_custom of = {
            .start_ns = e->time_ns - e->value[0],
            .duration_ns = e->value[0],
            .thread = jfr_pools_thread(&o->pools, e->thread),
            .stack =
                custom->type->has_stack ? jfr_pools_stack(&o->pools, e->trace, e->is_truncated) : 0,
            .context = jfr_pools_context(&o->pools, e->context),
        };
        find_keys(o, custom, values);
        o->has_contexts = true;
        has_type = jfr_schema_put_custom(&o->events, &keyed, &of, o->keys.count > 0);
    }
    jfr_out_count(o, has_type, e->time_ns);
}

static void (*const put_as[KIND_JFR_LAYOUTS])(struct jfr_out *o, const struct event *e) = {
    [KIND_JFR_SUM] = put_sum,
    [KIND_JFR_SAMPLE] = put_sample,
    [KIND_JFR_WALL] = put_wall,
    [KIND_JFR_COLLECTION] = put_gc,
    [KIND_JFR_THROW] = put_exception,
    [KIND_JFR_ALLOCATION] = put_allocation,
    [KIND_JFR_BLOCKED] = put_blocked,
    [KIND_JFR_LOAD] = put_load,
    [KIND_JFR_LEVELS] = put_levels,
    [KIND_JFR_CLASS] = put_class,
    [KIND_JFR_BLOCKS] = put_block,
    [KIND_JFR_MAPPINGS] = put_mapping,
    [KIND_JFR_CALLS] = put_call,
    [KIND_JFR_SAFEPOINT] = put_safepoint,
    [KIND_JFR_COMPILATION] = put_compilation,
    [KIND_JFR_DEOPTIMIZATION] = put_deoptimization,
    [KIND_JFR_CODE_HEAP] = put_code_heap,
    [KIND_JFR_VIRTUAL] = put_virtual,
    [KIND_JFR_PERF] = put_perf,
    [KIND_JFR_IO] = put_io,
    [KIND_JFR_APPLICATION] = put_custom,
};

void jfr_put_event(struct jfr_out *o, const struct event *event)
{
    jfr_out_note_keys(o);
    jfr_out_make_room(o);
    if (!o->error)
        put_as[kind_all[event->kind]->jfr_layout](o, event);
}

void jfr_put_quality(struct jfr_out *o, uint64_t time_ns, const char *name, uint64_t count)
{
    const union jfr_schema_value values[] = {
        {.number = time_ns}, {.text = name}, {.number = count}};
    jfr_out_put(o, JFR_SCHEMA_TYPE_QUALITY, values);
}

void jfr_put_lost(struct jfr_out *o, uint64_t time_ns, thread_id thread, uint64_t samples)
{
    jfr_out_make_room(o);
    const union jfr_schema_value values[] = {
        {.number = time_ns}, {.number = samples}, {.number = jfr_pools_thread(&o->pools, thread)}};

    if (!o->error)
        jfr_out_put(o, JFR_SCHEMA_TYPE_CPU_TIME_SAMPLES_LOST, values);
}

void jfr_put_timing(struct jfr_out *o, const struct event_timing *timing, uint64_t now_ns)
{
    jfr_out_make_room(o);
    const union jfr_schema_value values[] = {
        {.number = now_ns},
        {.number = jfr_pools_method(&o->pools, timing->method)},
        {.number = timing->calls},
        {.number = timing->least},
        {.number = timing->total / timing->calls},
        {.number = timing->most},
    };

    if (!o->error)
        jfr_out_put(o, JFR_SCHEMA_TYPE_METHOD_TIMING, values);
}

/* Whether all values are 0. A table may have such rows; they are not written. */
static bool is_zero(const struct event *e)
{
    for (uint32_t i = 0; i < kind_value_count(e->kind); i++)
        if (e->value[i] != 0)
            return false;
    return true;
}

void jfr_put_total(struct jfr_out *o, const struct event *event, uint64_t now_ns)
{
    struct event dated = *event;
    dated.time_ns = now_ns;
    jfr_out_make_room(o);
    if (!o->error && kind_all[event->kind]->jfr_layout != KIND_JFR_SAMPLE && !is_zero(event))
        put_sum(o, &dated);
}
