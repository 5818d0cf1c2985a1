/*
 * format_jfr.c - reads JFR files of any JDK, of async-profiler and of our own as profiles.
 *
 * The rows of kind_jfr (kind/kind.h) say which types of events have a place in the model. All other
 * events are for `hprof jfr`.
 * Layout: docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/javaname.h"
#include "base/peername.h"
#include "base/window.h"
#include "format/format.h"
#include "format/idmap.h"
#include "format/jfr_blocks.h"
#include "format/jfr_drawn.h"
#include "format/jfr_keys.h"
#include "format/jfr_levels.h"
#include "format/jfr_quality.h"
#include "format/jfr_schema.h"
#include "format/jfr_stacks.h"
#include "format/jfr_typed.h"
#include "format/jfr_wall.h"
#include "format/jfr_when.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_layout.h"
#include "jfr/jfr_value.h"
#include "profile/found.h"
#include "profile/moments.h"
#include "profile/process_set.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sums.h"

enum {
    COUNTED = 1, /* a value that is 1 for each event */
    /* The first two values are COUNTED if they have no field (kind_jfr.values). */
    COUNTED_VALUES = 2,
    LOADER = 1024,  /* size of the text that names a class loader */
    PEER = 512,     /* size of the text that names the peer of a socket */
    OWN_VALUES = 5, /* number of fields before the values in a sum of our own */
};

/* How the model uses the events of one type of the present chunk. */
struct meaning {
    const struct kind_jfr *row; /* NULL: none */
    bool is_sum;                /* a sum of our own, of this kind */
    enum kind_id kind;
    /* Name of the type, if it is an application's or one of several that are drawn; 0: neither. */
    string_id name;
    const char *bytes; /* name of a field with an amount of bytes; NULL: none */
    bool is_setting;   /* jdk.ActiveSetting */
    bool is_level;     /* jfr_levels.h reads its events */
    bool is_typed;     /* jfr_typed.h reads its events */
    bool is_quality;   /* jfr_quality.h reads its events */
    bool is_lost;      /* jfr_quality.h reads its events */
    bool has_rival;    /* the chunk has events of its rival, so its own do not count */
    bool is_there;     /* the chunk has at least one event of the type */
};

struct reading {
    struct reader_in *in;
    struct jfr_file file;
    struct jfr_stacks stacks;
    struct jfr_keys contexts;
    struct jfr_keys_outer outer; /* filled if the user wants one key */
    struct jfr_typed typed;
    struct jfr_quality quality;
    struct jfr_quality_passed passed;
    struct jfr_wall wall; /* settings of the chunk */
    struct jfr_blocks blocks;
    struct meaning *meanings; /* by jfr_type.number */
    struct idmap causes;      /* by number of a collection of the chunk: the text of its cause */
    uint64_t samples;
    bool counts_cpu; /* async-profiler's samples are of CPU time */
};

static int probe(const unsigned char *bytes, size_t len)
{
    return jfr_chunk_begins(bytes, len) ? 2 : 0;
}

static int fail(struct reader_in *in, int code, uint64_t offset, const char *detail)
{
    in->error = (struct reader_error){.code = code, .offset = offset, .detail = detail};
    return code;
}

static bool wants_outer(const struct reader_in *in)
{
    return in->want.by && in->want.with_contexts;
}

static int open_jfr(struct reader_in *in)
{
    struct reading *r = calloc(1, sizeof(*r));
    in->state = r;
    if (!r)
        return fail(in, -ENOMEM, 0, NULL);
    if (feed_has(in->feed, 0, JFR_LAYOUT_HEADER) && probe(in->feed->bytes, in->feed->len) &&
        be_2(in->feed->bytes + JFR_LAYOUT_MAJOR_AT) == 0)
        return fail(in, E_UNSUPPORTED, 0,
                    "a JFR file of version 0.9, that of Oracle's JDK 7 and 8: read are 1 and 2, "
                    "those of JDK 8u262 and later");
    idmap_init(&r->causes);
    idmap_init(&r->contexts.known);
    r->in = in;
    if (jfr_file_open(&r->file, in->feed, &(struct jfr_chunk_reading){.with_constants = true}) < 0)
        return fail(in, E_FORMAT, 0, "not a JFR file: it does not begin with FLR");
    if (wants_outer(in) && jfr_keys_outer_read(&r->outer, in->feed, in->want.by) < 0)
        return fail(in, -ENOMEM, 0, NULL);
    return 0;
}

static void close_jfr(struct reader_in *in)
{
    struct reading *r = in->state;
    if (!r)
        return;
    jfr_typed_done(&r->typed);
    jfr_stacks_done(&r->stacks);
    jfr_keys_done(&r->contexts);
    jfr_around_done(&r->outer.spans);
    jfr_blocks_done(&r->blocks);
    idmap_done(&r->causes);
    jfr_file_close(&r->file);
    free(r->meanings);
    free(r);
    in->state = NULL;
}

static struct meaning typed_meaning(const struct reader_in *in, const struct jfr_type *type)
{
    bool is_one = !strpbrk(in->want.drawn, "*?,");
    enum kind_id kind;
    const struct kind_jfr *row = kind_jfr_of(KIND_JFR_OF_USER, &kind);
    return (struct meaning){.row = row,
                            .kind = kind,
                            .name = is_one ? 0 : profile_cstring(in->profile, type->name),
                            .bytes = jfr_drawn_bytes(type)};
}

static struct meaning meaning_of(const struct reader_in *in, const struct jfr_type *type)
{
    struct profile *p = in->profile;
    struct meaning m = {.kind = jfr_schema_sum_named(type->name)};
    if (jfr_drawn_is(in, type))
        return typed_meaning(in, type);

    m.is_sum = m.kind != KIND_COUNT;
    m.is_setting = strcmp(type->known_as, "jdk.ActiveSetting") == 0;
    m.is_level = jfr_levels_has(type);
    m.is_quality = jfr_quality_is(type);
    m.is_lost = jfr_quality_passed_is_lost(type);
    m.row = kind_jfr_named(type->known_as, &m.kind);
    if (!m.row && !m.is_sum && javaname_is_own_event(type->known_as)) {
        m.row = kind_jfr_of(KIND_JFR_OF_APPLICATION, &m.kind);
        m.name = profile_cstring(p, type->name);
    }
    return m;
}

/* If a chunk has events of a type's rival, the events of the type itself do not count: both record
 * the same. */
static void drop_rivals(struct reading *r)
{
    const struct jfr_metadata *m = &r->file.chunk.metadata;
    for (uint32_t i = 0; i < m->type_count; i++) {
        const struct kind_jfr *row = r->meanings[i].row;
        const struct jfr_type *rival = row && row->rival ? jfr_metadata_named(m, row->rival) : NULL;
        if (rival && r->meanings[rival->number].is_there) {
            r->meanings[i].row = NULL;
            r->meanings[i].has_rival = true;
        }
    }
}

/* Notes the cause of a collection, in a first pass over the chunk. The events with the level of the
 * heap (jdk.GCHeapSummary) have no cause and come before the event of their collection. */
static void note_cause(struct reading *r, const struct jfr_type *type,
                       const struct jfr_record *record)
{
    const struct jfr_value object = jfr_value_event(type, record);
    struct jfr_value number, cause;
    string_id text;
    if (!jfr_value_named(&r->file.chunk, &object, "gcId", &number) ||
        !jfr_value_named(&r->file.chunk, &object, "cause", &cause))
        return;
    text = jfr_stacks_text(&r->stacks, &cause);
    if (text)
        idmap_put(&r->causes, (uint64_t)number.number, text);
}

static void note_period(struct reading *r, uint64_t ns)
{
    if (ns)
        profile_moments(r->in->profile)->sample_ns = ns;
}

/* Notes the process that wrote the chunk. A chunk without this information belongs to the same
 * process as the chunk before. */
static void note_process(struct reading *r, const struct jfr_type *type,
                         const struct jfr_record *record)
{
    struct profile *p = r->in->profile;
    struct jfr_jvm jvm;
    if (!jfr_jvm_take(&r->file.chunk, type, record, &jvm))
        return;
    const struct process_set_row row = {.name = *jvm.program ? profile_cstring(p, jvm.program) : 0,
                                        .pid = jvm.pid,
                                        .start_ms = jvm.start_ms};
    r->stacks.process = process_set_of(profile_processes(p), &row);
}

/* Bit N: the model may get an event of kind N. */
static uint32_t kinds_of(const struct meaning *m)
{
    return 1u << m->kind | (m->row && m->row->if_lock ? 1u << m->row->if_lock->id : 0) |
           (m->row && m->row->if_wall ? 1u << m->row->if_wall->id : 0);
}

/* Takes the type as a type of single events; returns whether this was done. Sums of our own are not
 * single events. Samples are taken only if the user named their type. Events of
 * jdk.NativeMethodSample are samples only if the user asks for thread states; otherwise they are
 * single events like those of any other type. */
static bool add_typed(struct reading *r, const struct jfr_type *type, const struct meaning *m)
{
    const struct reader_in *in = r->in;
    bool is_sample = m->row && m->kind == KIND_SAMPLE;
    uint32_t kinds = m->row && (!m->row->is_waiting || in->want.states) ? kinds_of(m) : 0;
    if (!in->want.with_types || m->is_sum ||
        (in->want.types ? !jfr_filter_names(in->want.types, type->name) : kinds && is_sample))
        return false;
    return jfr_typed_add(&r->typed, type, kinds);
}

static int find_meanings(struct reading *r)
{
    const struct jfr_metadata *m = &r->file.chunk.metadata;
    struct jfr_record record;
    free(r->meanings);
    r->meanings = calloc(m->type_count + (size_t)1, sizeof(*r->meanings));
    if (!r->meanings)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_type_is_event(&m->types[i])) {
            r->meanings[i] = meaning_of(r->in, &m->types[i]);
            r->meanings[i].is_typed = add_typed(r, &m->types[i], &r->meanings[i]);
        }
    r->wall = (struct jfr_wall){0};
    while (jfr_file_next_record(&r->file, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&r->file.chunk, record.type_id);
        if (!type)
            continue;
        if (r->meanings[type->number].is_setting) {
            jfr_wall_setting(&r->wall, &r->file.chunk, type, &record);
            jfr_blocks_setting(&r->blocks, &r->file.chunk, type, &record);
        }
        if (r->meanings[type->number].is_quality && !r->meanings[type->number].is_there)
            jfr_quality_begin(&r->quality, &r->file.chunk);
        r->meanings[type->number].is_there = true;
        if (r->meanings[type->number].row && r->meanings[type->number].row->has_cause)
            note_cause(r, type, &record);
        if (r->in->want.with_processes)
            note_process(r, type, &record);
        if (r->meanings[type->number].is_setting && r->in->want.with_times)
            note_period(r, jfr_when_period(&r->file.chunk, type, &record, &r->counts_cpu));
    }
    jfr_file_rewind(&r->file);
    drop_rivals(r);
    for (uint32_t i = 0; i < m->type_count; i++) {
        const struct meaning *meaning = &r->meanings[i];
        if (!meaning->is_there)
            continue;
        if (meaning->row || meaning->is_sum)
            r->in->kinds_met |= kinds_of(meaning);
        else if (!meaning->has_rival && jfr_drawn_can(&m->types[i]))
            found_add_drawable(profile_found(r->in->profile),
                               profile_cstring(r->in->profile, m->types[i].name));
    }
    return 0;
}

static uint64_t amount(const struct reading *r, const struct jfr_value *value,
                       enum kind_jfr_unit unit)
{
    int64_t number = jfr_value_number(value);
    if (unit == KIND_JFR_NS && value->field && value->field->content == JFR_TICKS_SPAN)
        number = jfr_chunk_span_ns(&r->file.chunk, number);
    return number > 0 ? (uint64_t)number : 0;
}

/* The text for a class loader (base/javaname.h). */
static string_id loader_of(struct reading *r, const struct jfr_value *loader)
{
    struct profile *p = r->stacks.profile;
    bool is_there = loader->shape == JFR_OBJECT;
    struct jfr_value name, type;
    char text[LOADER];
    string_id given = is_there && jfr_value_named(&r->file.chunk, loader, "name", &name)
                          ? jfr_stacks_text(&r->stacks, &name)
                          : 0;
    class_id klass = is_there && jfr_value_named(&r->file.chunk, loader, "type", &type)
                         ? jfr_stacks_class(&r->stacks, &type)
                         : 0;
    string_id of = klass ? profile_class_at(p, klass)->name : 0;
    javaname_join_loader(given ? profile_string_at(p, given)->bytes : "",
                         of ? profile_string_at(p, of)->bytes : "", text, sizeof(text));
    return profile_cstring(p, text);
}

/* A string field of an event as text; "": there is none. */
static const char *field_of(struct reading *r, const struct jfr_value *object, const char *name)
{
    struct jfr_value value;
    string_id text = jfr_value_named(&r->file.chunk, object, name, &value)
                         ? jfr_stacks_text(&r->stacks, &value)
                         : 0;
    return text ? profile_string_at(r->stacks.profile, text)->bytes : "";
}

/* The text for the peer of a socket. JDKs leave the host empty if no name was looked up. */
static string_id peer_of(struct reading *r, const struct jfr_value *object)
{
    struct jfr_value value;
    char text[PEER];
    const char *host = field_of(r, object, "host");
    uint64_t port = jfr_value_named(&r->file.chunk, object, "port", &value)
                        ? amount(r, &value, KIND_JFR_AS_IS)
                        : 0;
    peername_join(*host ? host : field_of(r, object, "address"), port, text, sizeof(text));
    return *text ? profile_cstring(r->stacks.profile, text) : 0;
}

/* The text of a value that is a string, a class, a method or a class loader. */
static string_id text_of(struct reading *r, const struct jfr_value *value)
{
    if (value->type && strcmp(value->type->known_as, "jdk.types.ClassLoader") == 0)
        return loader_of(r, value);
    if (value->type && strcmp(value->type->known_as, "jdk.types.Method") == 0)
        return jfr_stacks_method(&r->stacks, value);
    class_id klass = value->shape == JFR_OBJECT ? jfr_stacks_class(&r->stacks, value) : 0;
    return klass ? profile_class_at(r->stacks.profile, klass)->name
                 : jfr_stacks_text(&r->stacks, value);
}

/* The used bytes of a code heap are what is not left of the reserved ones. */
static void fill_code_heap(struct reading *r, const struct jfr_value *object, struct event *e)
{
    enum { START, TOP, FREE, FIELDS };
    static const char *const fields[FIELDS] = {"startAddress", "reservedTopAddress",
                                               "unallocatedCapacity"};
    uint64_t number[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        struct jfr_value value;
        if (!jfr_value_named(&r->file.chunk, object, fields[i], &value))
            return;
        number[i] = amount(r, &value, KIND_JFR_AS_IS);
    }
    uint64_t reserved = number[TOP] > number[START] ? number[TOP] - number[START] : 0;
    e->value[0] = COUNTED;
    e->value[1] = reserved > number[FREE] ? reserved - number[FREE] : 0;
    e->value[2] = reserved;
}

static void fill(struct reading *r, const struct kind_jfr *row, const struct jfr_value *object,
                 struct event *e)
{
    const struct jfr_chunk *c = &r->file.chunk;
    uint32_t values = kind_value_count(e->kind);
    struct jfr_value value;
    if (row->klass && jfr_value_named(c, object, row->klass, &value))
        e->klass = jfr_stacks_class(&r->stacks, &value);
    if (row->text && jfr_value_named(c, object, row->text, &value))
        e->text = text_of(r, &value);
    if (row->has_peer)
        e->text = peer_of(r, object);
    if (row->is_code_heap)
        fill_code_heap(r, object, e);
    for (uint32_t i = 0; !row->is_code_heap && i < KIND_JFR_VALUES && row->skipped + i < values;
         i++) {
        uint64_t *to = &e->value[row->skipped + i];
        if (!row->values[i])
            *to = i < COUNTED_VALUES ? COUNTED : 0;
        else if (jfr_value_named(c, object, row->values[i], &value))
            *to = amount(r, &value, row->units[i]);
    }
}

static void fill_heap(struct reading *r, const struct jfr_value *object, struct event *e)
{
    const struct jfr_chunk *c = &r->file.chunk;
    struct jfr_value number, when, used;
    char words[16];
    if (!jfr_value_named(c, object, "gcId", &number) ||
        !jfr_value_named(c, object, "when", &when) ||
        !jfr_value_named(c, object, "heapUsed", &used))
        return;
    e->text = idmap_get(&r->causes, (uint64_t)number.number);
    jfr_value_utf8(&when, words, sizeof(words));
    if (e->text)
        e->value[strcmp(words, "Before GC") == 0 ? 2 : 3] = amount(r, &used, KIND_JFR_AS_IS);
}

static void fill_custom(struct reading *r, const struct meaning *m, const struct jfr_value *object,
                        struct event *e)
{
    struct jfr_value value;
    e->text = m->name;
    if (m->bytes && jfr_value_named(&r->file.chunk, object, m->bytes, &value))
        e->value[2] = amount(r, &value, KIND_JFR_AS_IS);
}

/* In a sum of our own, the fields with the values stand behind the fields that say what the sum
 * belongs to. */
static void fill_sum(struct reading *r, const struct jfr_value *object, struct event *e)
{
    const struct jfr_chunk *c = &r->file.chunk;
    struct jfr_value value;
    if (jfr_value_named(c, object, "objectClass", &value))
        e->klass = jfr_stacks_class(&r->stacks, &value);
    if (jfr_value_named(c, object, "text", &value))
        e->text = jfr_stacks_text(&r->stacks, &value);
    for (uint32_t i = 0; i < kind_value_count(e->kind); i++)
        if (OWN_VALUES + i < object->type->field_count) {
            jfr_value_field(c, object, OWN_VALUES + i, &value);
            e->value[i] = amount(r, &value, KIND_JFR_AS_IS);
        }
}

/* A park for a lock counts as an enter of a monitor. The text of such an event is the name of the
 * lock's class. */
static void note_lock(struct profile *p, const struct kind *lock, struct event *e)
{
    string_id name = e->klass ? profile_class_at(p, e->klass)->name : 0;
    if (!name || !javaname_is_lock(profile_string_at(p, name)->bytes))
        return;
    e->kind = lock->id;
    e->text = name;
    e->klass = 0;
}

/* Whether the innermost frame is a method of java.lang.Error. */
static bool is_in_error(struct profile *p, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(p, id);
    const struct profile_method *m =
        trace->depth > 0 ? profile_method_at(p, profile_frame_at(p, trace->frames[0])->method)
                         : NULL;
    string_id name = m && m->klass ? profile_class_at(p, m->klass)->name : 0;
    return name && strcmp(profile_string_at(p, name)->bytes, "java.lang.Error") == 0;
}

/* Whether the event is in the window and has the thread state that the user wants. A sum of our own
 * belongs to no moment, so no part of a recording contains it. */
static bool is_wanted(struct reading *r, const struct meaning *m, const struct jfr_value *object,
                      uint64_t *ret_ns)
{
    const struct jfr_chunk *c = &r->file.chunk;
    if (m->is_sum && r->in->window)
        return false;
    if (!jfr_when_has(r->in, c, object, ret_ns) ||
        (m->row && m->row->is_waiting && !r->in->want.states))
        return false;
    return !m->row || (!m->row->has_state && !m->row->state) ||
           jfr_when_has_state(r->in, c, object, m->row->state);
}

/* Whether the row's stack may be a method: the only frame of an event without a stack. */
static bool is_of_method(const struct kind_jfr *row)
{
    return row && row->stack && strcmp(row->stack, "stackTrace") != 0;
}

/* Counts the event, with its time if it has one. The level of the heap (jdk.GCHeapSummary) is only
 * added to the sum of its collection: it is no event of its own. */
static int count_in(struct reading *r, const struct meaning *m, const struct event *e)
{
    bool is_moment = r->in->want.with_times && e->time_ns && !m->is_sum && !m->row->is_heap;
    return is_moment ? profile_count_at(r->stacks.profile, e) : profile_count(r->stacks.profile, e);
}

static int count_event(struct reading *r, const struct meaning *m, const struct jfr_type *type,
                       const struct jfr_record *record)
{
    const struct jfr_chunk *c = &r->file.chunk;
    const struct jfr_value object = jfr_value_event(type, record);
    struct event e = {.kind = m->kind, .trace = 1};
    struct jfr_value stack, thread;
    if (!is_wanted(r, m, &object, &e.time_ns))
        return 0;
    if (m->row && m->row->if_wall && jfr_wall_is(&r->wall, c, &object))
        e.kind = m->row->if_wall->id;
    if (m->row && m->row->if_wall && r->in->want.kinds && !(r->in->want.kinds >> e.kind & 1))
        return 0;
    if (m->row && m->row->block == KIND_JFR_BLOCK_FREED) {
        jfr_blocks_freed(&r->blocks, c, &object);
        return 0;
    }
    if (m->row && m->row->is_heap)
        fill_heap(r, &object, &e);
    else if (m->row)
        fill(r, m->row, &object, &e);
    else
        fill_sum(r, &object, &e);
    if (m->name || (m->row && m->row->of == KIND_JFR_OF_USER))
        fill_custom(r, m, &object, &e);
    if ((!m->row || m->row->stack) && jfr_value_named(c, &object, "stackTrace", &stack))
        e.trace = jfr_stacks_trace(&r->stacks, &stack);
    if (e.trace == 1 && is_of_method(m->row) && jfr_value_named(c, &object, m->row->stack, &stack))
        e.trace = jfr_stacks_of_method(&r->stacks, &stack);
    bool has_thread = r->in->want.with_threads && (!m->row || m->row->stack) &&
                      (jfr_value_named(c, &object, "eventThread", &thread) ||
                       jfr_value_named(c, &object, "sampledThread", &thread));
    if (e.trace && (has_thread || r->stacks.process))
        e.trace = jfr_stacks_of_thread(&r->stacks, e.trace, has_thread ? &thread : NULL);
    if (e.trace == 0)
        return r->stacks.error;
    if (m->row && ((m->row->is_heap && e.text == 0) ||
                   (m->row->has_errors && is_in_error(r->stacks.profile, e.trace))))
        return 0;
    if (r->in->want.with_contexts && !m->is_sum)
        e.context = jfr_keys_of(&r->contexts, &object);
    if (m->row && m->row->if_lock)
        note_lock(r->stacks.profile, m->row->if_lock, &e);
    r->samples += e.kind == KIND_SAMPLE ? e.value[0] : 0;
    if (m->row && m->row->has_period && e.time_ns &&
        jfr_value_named(c, &object, "samplingPeriod", &stack))
        note_period(r, amount(r, &stack, KIND_JFR_NS));
    if (m->row && m->row->block == KIND_JFR_BLOCK_MADE)
        jfr_blocks_made(&r->blocks, c, &object, &e);
    return count_in(r, m, &e);
}

/* Notes a table for each kind that has rows. If there is none, the profile gets an empty table of
 * samples. */
static void note_tables(struct profile *p)
{
    bool has_any = false;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (profile_sums(p, (enum kind_id)kind)->rows.count > 0) {
            profile_sums(p, (enum kind_id)kind)->is_measured = true;
            has_any = true;
        }
    if (!has_any)
        profile_sums(p, KIND_SAMPLE)->is_measured = true;
}

/* Notes the time that the chunk covers, or the part of it that is in the window. */
static void note_time(struct reader_in *in, const struct jfr_header *h)
{
    const struct window *w = in->window;
    int64_t from_ns = h->start_ns, to_ns;
    if (h->duration_ns < 0 || __builtin_add_overflow(from_ns, h->duration_ns, &to_ns))
        return;
    if (w && w->from.kind != WINDOW_OPEN && w->from_ns > from_ns)
        from_ns = w->from_ns;
    if (w && w->to.kind != WINDOW_OPEN && w->to_ns < to_ns)
        to_ns = w->to_ns;
    if (from_ns > 0 && from_ns <= to_ns)
        found_add_time(profile_found(in->profile), (uint64_t)from_ns, (uint64_t)to_ns);
}

static int read_chunk(struct reader_in *in, struct reading *r)
{
    struct jfr_record record;
    int code;
    jfr_stacks_begin(&r->stacks, in->profile, &r->file.chunk);
    jfr_blocks_begin(&r->blocks, in->profile);
    jfr_keys_done(&r->contexts);
    jfr_keys_begin(&r->contexts, in->profile, &r->file.chunk, in->want.by,
                   wants_outer(in) ? &r->outer : NULL);
    idmap_done(&r->causes);
    idmap_init(&r->causes);
    code = jfr_when_begin(in, &r->file.chunk);
    if (code == E_UNSUPPORTED)
        return fail(in, E_NOT_FOUND, r->file.offset,
                    "its clock is not System.nanoTime(); name the window by seconds or by times");
    if (code == 0 && wants_outer(in))
        code = jfr_keys_outer_begin(&r->outer, &r->file, in->want.by);
    note_time(in, &r->file.chunk.header);
    jfr_typed_done(&r->typed);
    if (code == 0 && in->want.with_types)
        code = jfr_typed_begin(&r->typed, in, &r->file.chunk, &r->stacks, &r->contexts);
    if (code == 0)
        code = find_meanings(r);
    while (code == 0 && jfr_file_next_record(&r->file, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&r->file.chunk, record.type_id);
        const struct meaning *m = type ? &r->meanings[type->number] : NULL;
        if (m && m->is_level)
            jfr_levels_take(in, &r->file.chunk, type, &record, r->stacks.process);
        if (m && m->is_quality)
            jfr_quality_take(&r->quality, in->profile, &r->file.chunk, type, &record);
        if (m && m->is_lost)
            jfr_quality_passed_add_lost(&r->passed, &r->file.chunk, type, &record);
        if (m && m->has_rival)
            r->passed.of[m->kind]++;
        if (m && m->is_typed)
            code = jfr_typed_take(&r->typed, type, &record);
        if (code == 0 && m && (m->row || m->is_sum) &&
            (!in->want.kinds || in->want.kinds & kinds_of(m))) {
            code = count_event(r, m, type, &record);
            /* If the model has no room, it counts the lost event itself, and reading goes on. */
            if (code == -ENOMEM && r->stacks.error == 0)
                code = 0;
        }
    }
    jfr_blocks_join(&r->blocks);
    if (code == E_LIMIT)
        return fail(in, E_FORMAT, r->file.offset + r->file.at,
                    "numbers whose sum has more than 64 bits");
    return code < 0 ? fail(in, code, r->file.offset, NULL) : 0;
}

/* Ends the reading. Damaged parts of the file were passed over, and all undamaged parts were read;
 * only now the first damage is reported. */
static int finish(struct reader_in *in, struct reading *r)
{
    const struct jfr_damage *first = &r->file.damages[0];
    int error = jfr_blocks_tell(&r->blocks, in->want.with_times);
    if (error == E_LIMIT)
        return fail(in, E_FORMAT, 0, "numbers whose sum has more than 64 bits");
    if (r->blocks.error)
        return fail(in, r->blocks.error, 0, NULL);
    note_tables(in->profile);
    profile_set_quality(in->profile, quality_name(QUALITY_SAMPLES), r->samples);
    if (!in->window && !in->want.states && (!in->want.kinds || in->want.kinds & 1u << KIND_SAMPLE))
        jfr_quality_tell(&r->quality, in->profile, r->samples);
    if (!in->window && !in->want.states && !in->want.kinds && r->quality.count == 0)
        jfr_quality_passed_tell(&r->passed, in->profile);
    if (r->stacks.truncated > 0)
        profile_set_quality(in->profile, quality_name(QUALITY_TRUNCATED_STACKS),
                            r->stacks.truncated);
    if (r->file.damage_count == 0)
        return 0;
    in->error = (struct reader_error){
        .code = E_TRUNCATED,
        .offset = first->offset,
        .detail = first->what,
        .lost = first->lost,
        .others = r->file.damage_count - 1,
        .is_passed = true,
    };
    return E_TRUNCATED;
}

static int next(struct reader_in *in)
{
    struct reading *r = in->state;
    int code = jfr_file_next_chunk(&r->file);
    in->position = (size_t)r->file.offset;
    if (code == E_UNSUPPORTED)
        return fail(in, code, 0,
                    "a JFR file of a version that is not 1 or 2, those of JDK 8u262 and later");
    if (code < 0)
        return fail(in, code, r->file.offset, NULL);
    if (code == 0)
        return finish(in, r);
    code = read_chunk(in, r);
    return code < 0 ? code : 1;
}

static const struct reader reader = {
    .probe = probe,
    .open = open_jfr,
    .next = next,
    .close = close_jfr,
    .abilities = READER_TIMES,
};

const struct format format_jfr = {
    .name = "jfr",
    .help = "JFR recordings of the JDK and of async-profiler",
    .suffixes = ".jfr",
    .reader = &reader,
};
