/*
 * pprof_in.c - reads profile.proto: each sample becomes one event of each kind of which it has
 * values.
 *
 * The tables are gathered first (pprof_tables.h), so the whole contents of a pipe stay in memory.
 * Then samples are read one after the other (pprof_stack.h). Layout: docs/format/pprof.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "format/format.h"
#include "format/pprof.h"
#include "format/pprof_stack.h"
#include "format/pprof_tables.h"
#include "format/proto_in.h"
#include "profile/context.h"
#include "profile/found.h"
#include "profile/process_set.h"
#include "profile/profile.h"
#include "profile/sums.h"

enum {
    SAMPLES_AT_A_TIME = 4096,
    ROOM_PER_BYTE = 16, /* memory for tables; a row takes at least two bytes of the file */
    ROOM_LEAST = 1 << 20,
    FIRST_THREAD = 200001, /* the first number for threads that the file does not number */
};

/* A reading, from open to close. */
struct reading {
    struct pprof_tables tables;
    struct rd whole; /* with the samples that have not been read yet */
    uint64_t lost_before;
    int damage; /* why the file ends early; 0: it does not */
    const char *why;
    struct pprof_stack stack;
    struct idmap threads; /* the first thread of the profile with this name */
    bool with_contexts, with_processes;
    const char *by; /* only this key of the contexts; NULL: all keys */
};

static int fail(struct reader_in *in, int code, uint64_t at, const char *detail)
{
    in->error = (struct reader_error){.code = code, .offset = at, .detail = detail};
    return code;
}

/* Whether the file can have a field with this number and wire type. Fields that are lists may be
 * packed. */
static bool is_field(const struct proto_in_field *f)
{
    if (f->number >= PPROF_FIELDS)
        return false;
    if (f->number >= PPROF_SAMPLE_TYPE && f->number <= PPROF_STRING)
        return f->type == PROTO_BYTES;
    if (f->number == PPROF_PERIOD_TYPE)
        return f->type == PROTO_BYTES;
    return f->type == PROTO_VARINT || (f->number == PPROF_COMMENT && f->type == PROTO_BYTES);
}

static bool is_message(const struct proto_in_field *f)
{
    struct rd message;
    if (f->type != PROTO_BYTES || f->number == PPROF_STRING || f->number == PPROF_COMMENT)
        return true;
    rd_init(&message, f->bytes, f->len);
    for (struct proto_in_field inner; proto_in_next(&message, &inner);)
        ;
    return message.error == 0;
}

bool pprof_in_has_own_label(const char *name)
{
    static const char *const own[] = {
        PPROF_LABEL_THREAD, PPROF_LABEL_THREAD_ID, PPROF_LABEL_CLASS, PPROF_LABEL_TEXT,
        PPROF_LABEL_KIND,   PPROF_LABEL_PROCESS,   PPROF_LABEL_PID};
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

int pprof_in_probe(const unsigned char *bytes, size_t len)
{
    int fields = 0;
    struct rd whole;
    rd_init(&whole, bytes, len);
    for (struct proto_in_field f; fields < 16 && proto_in_next(&whole, &f); fields++)
        if (!is_field(&f) || !is_message(&f))
            return 0;
    return whole.error == E_FORMAT ? 0 : fields > 2 ? 2 : fields > 0;
}

/* Reads the tables. If the file is damaged, this is reported after everything before the damage was
 * read. */
static int gather(struct reading *r)
{
    struct rd whole = r->whole;
    for (struct proto_in_field f; proto_in_next(&whole, &f);) {
        int taken = is_field(&f) ? pprof_tables_take(&r->tables, &f) : E_FORMAT;
        if (taken == -ENOMEM)
            return taken;
        if (taken == E_LIMIT)
            r->why = "values of more than 64 types";
        if (taken < 0)
            rd_fail(&whole, taken);
    }
    r->damage = whole.error;
    if (whole.error)
        r->whole.len = whole.error_pos;
    return 0;
}

static void name_thread(struct reading *r, string_id name, thread_id thread)
{
    if (name)
        idmap_put(&r->threads, name, thread);
}

/* Turns to another profile: forgets what is remembered of the one before. A name means the first
 * thread with that name, so threads are put in from the last to the first. */
static void turn_to(struct reading *r, struct profile *p)
{
    const struct pprof_tables *tables = &r->tables;
    if (tables->duration_ns <= INT64_MAX && tables->time_ns <= INT64_MAX)
        found_add_time(profile_found(p), tables->time_ns, tables->time_ns + tables->duration_ns);
    pprof_stack_turn_to(&r->stack, p);
    idmap_done(&r->threads);
    idmap_init(&r->threads);
    for (thread_id t = profile_thread_count(p); t > 0; t--)
        name_thread(r, profile_thread_at(p, t)->name, t);
}

int pprof_in_open(struct reader_in *in)
{
    struct reading *r = calloc(1, sizeof(*r));
    in->state = r;
    if (!r)
        return fail(in, -ENOMEM, 0, NULL);
    feed_has(in->feed, 0, SIZE_MAX);
    pprof_tables_init(&r->tables, ROOM_LEAST + in->feed->len * ROOM_PER_BYTE);
    r->with_contexts = in->want.with_contexts;
    r->with_processes = in->want.with_processes;
    r->by = in->want.by;
    r->lost_before = profile_lost(in->profile);
    rd_init(&r->whole, in->feed->bytes, in->feed->len);
    if (pprof_in_probe(in->feed->bytes, in->feed->len) == 0)
        return fail(in, E_FORMAT, 0, "not a message of profile.proto");
    int gathered = gather(r);
    if (gathered < 0)
        return fail(in, gathered, 0, NULL);
    pprof_tables_decide(&r->tables);
    pprof_stack_begin(&r->stack, &r->tables, in->feed->len);
    turn_to(r, in->profile);
    for (size_t i = 0; i < r->tables.column_count; i++)
        if (r->tables.columns[i].what.type)
            profile_sums(in->profile, r->tables.columns[i].what.kind)->is_measured = true;
    return 0;
}

/* A sample while it is read. */
struct sample {
    struct event event; /* without its kind and values */
    struct context_row context;
    uint64_t value[PPROF_COLUMNS_MAX];
    size_t values;
    uint64_t thread_id;
    string_id thread;
    string_id process;
    uint64_t pid;
};

/* A label that is not one of hprof's says what the thread worked for, if its value is a text. If
 * the user asked for one key, the other keys are added too, because a message names them if the
 * wanted key is missing. One place stays free for the wanted key. */
static void take_key(struct reading *r, struct sample *s, struct pprof_text name, uint64_t text)
{
    static const char prefix[] = PPROF_LABEL_CONTEXT ".";
    const size_t len = sizeof(prefix) - 1;
    struct context_set *contexts = profile_contexts(r->stack.profile);
    if (name.len > len && memcmp(name.bytes, prefix, len) == 0)
        name = (struct pprof_text){name.bytes + len, name.len - len};
    bool is_wanted = !r->by || pprof_tables_is(name, r->by);
    if (name.len == 0 || !text || (!is_wanted && contexts->key_count + 1 >= CONTEXT_KEYS))
        return;
    pprof_stack_looks_at(&r->stack, name.len);
    string_id id = profile_string(r->stack.profile, name.bytes, name.len);
    int key = id ? context_add_key(contexts, id, 0) : -1;
    if (key >= 0 && is_wanted)
        s->context.value[key] = pprof_stack_string(&r->stack, text);
}

static void take_label(struct reading *r, struct sample *s, struct rd label)
{
    uint64_t key = 0, text = 0, number = 0;
    for (struct proto_in_field f; proto_in_next(&label, &f);)
        switch (f.number) {
        case PPROF_KEY:
            key = f.value;
            break;
        case PPROF_TEXT:
            text = f.value;
            break;
        case PPROF_NUMBER:
            number = f.value;
            break;
        }
    struct pprof_text name = pprof_tables_string(&r->tables, key);
    if (pprof_tables_is(name, PPROF_LABEL_THREAD))
        s->thread = pprof_stack_string(&r->stack, text);
    else if (pprof_tables_is(name, PPROF_LABEL_THREAD_ID))
        s->thread_id = number;
    else if (pprof_tables_is(name, PPROF_LABEL_TEXT))
        s->event.text = pprof_stack_string(&r->stack, text);
    else if (pprof_tables_is(name, PPROF_LABEL_CLASS) && pprof_stack_string(&r->stack, text))
        s->event.klass = profile_class_named(r->stack.profile, pprof_stack_string(&r->stack, text));
    else if (pprof_tables_is(name, PPROF_LABEL_PROCESS))
        s->process = pprof_stack_string(&r->stack, text);
    else if (pprof_tables_is(name, PPROF_LABEL_PID))
        s->pid = number;
    else if (r->with_contexts && !pprof_tables_is(name, PPROF_LABEL_KIND))
        take_key(r, s, name, text);
}

/* The thread of a sample whose process the file names. Its number is enough to find it in the
 * process. */
static thread_id member_of(struct reading *r, const struct sample *s)
{
    struct process_set *all = profile_processes(r->stack.profile);
    const struct process_set_row row = {.name = s->process,
                                        .pid = s->pid <= UINT32_MAX ? (uint32_t)s->pid : 0};
    process_id process = row.pid ? process_set_of(all, &row) : process_set_named(all, row.name);
    uint32_t serial = s->thread_id <= UINT32_MAX ? (uint32_t)s->thread_id : 0;
    return process ? profile_thread_in(r->stack.profile, process, serial, serial ? s->thread : 0)
                   : 0;
}

/* The thread of a sample, found by its number. If the sample has only a name, the first thread with
 * that name is meant. */
static thread_id thread_of(struct reading *r, const struct sample *s)
{
    uint32_t serial = s->thread_id <= UINT32_MAX ? (uint32_t)s->thread_id : 0;
    thread_id thread = serial ? profile_thread_by_serial(r->stack.profile, serial) : 0;
    if (thread || (!serial && !s->thread))
        return thread;
    thread_id first = s->thread ? idmap_get(&r->threads, s->thread) : 0;
    if (!serial && first)
        return first;
    if (!serial)
        serial = FIRST_THREAD + profile_thread_count(r->stack.profile);
    thread = profile_add_thread(r->stack.profile, serial, 0, s->thread, 0, 0);
    if (thread && !first)
        name_thread(r, s->thread, thread);
    return thread;
}

static int take_values(struct sample *s, const struct proto_in_field *f)
{
    struct proto_in_list list;
    proto_in_list(f, &list);
    for (uint64_t value; proto_in_number(&list, &value);) {
        if (s->values == PPROF_COLUMNS_MAX)
            return E_FORMAT;
        s->value[s->values++] = value;
    }
    return list.packed.error;
}

static int take_stack(struct reading *r, const struct proto_in_field *f)
{
    struct proto_in_list list;
    int pushed = 0;
    proto_in_list(f, &list);
    for (uint64_t id; pushed == 0 && proto_in_number(&list, &id);)
        pushed = pprof_stack_push(&r->stack, id);
    return pushed ? pushed : list.packed.error;
}

static int take_sample(struct reading *r, struct rd message, struct sample *ret_sample)
{
    int taken = 0;
    *ret_sample = (struct sample){0};
    r->stack.depth = 0;
    for (struct proto_in_field f; taken == 0 && proto_in_next(&message, &f);) {
        struct rd label;
        switch (f.number) {
        case PPROF_SAMPLE_LOCATION:
            taken = take_stack(r, &f);
            break;
        case PPROF_SAMPLE_VALUE:
            taken = take_values(ret_sample, &f);
            break;
        case PPROF_SAMPLE_LABEL:
            rd_init(&label, f.bytes, f.len);
            take_label(r, ret_sample, label);
            break;
        }
        if (taken == 0 && r->stack.left == 0)
            taken = E_LIMIT;
    }
    return taken ? taken : message.error;
}

/* Adds an event of each kind of which the columns have values. */
static int count(struct reading *r, struct sample *s)
{
    const struct pprof_tables *t = &r->tables;
    uint32_t kinds = 0;
    int counted = s->values == t->column_count ? 0 : E_FORMAT;
    for (size_t i = 0; i < s->values && counted == 0; i++) {
        if (s->value[i] > INT64_MAX)
            return E_RANGE;
        if (t->columns[i].what.type && s->value[i] > 0)
            kinds |= 1u << t->columns[i].what.kind;
    }
    for (unsigned kind = 0; kind < KIND_COUNT && counted == 0; kind++) {
        struct event event = s->event;
        if (!(kinds >> kind & 1))
            continue;
        event.kind = (enum kind_id)kind;
        for (size_t i = 0; i < t->column_count; i++)
            if (t->columns[i].what.type && t->columns[i].what.kind == event.kind)
                event.value[t->columns[i].what.value] = (s->value[i] + t->divisor / 2) / t->divisor;
        counted = profile_count(r->stack.profile, &event);
    }
    return counted;
}

static int read_sample(struct reading *r, const struct proto_in_field *f)
{
    struct rd message;
    struct sample s;
    rd_init(&message, f->bytes, f->len);
    int code = take_sample(r, message, &s);
    if (code < 0)
        return code;
    s.event.thread =
        r->with_processes && (s.process || s.pid) ? member_of(r, &s) : thread_of(r, &s);
    s.event.context = context_of(profile_contexts(r->stack.profile), &s.context);
    s.event.trace =
        profile_trace(r->stack.profile, s.event.thread, r->stack.stack.frames, r->stack.depth);
    return s.event.trace && !idmap_error(&r->threads) ? count(r, &s) : -ENOMEM;
}

static const char *why(const struct reading *r, int code)
{
    if (code == E_LIMIT && r->stack.left == 0)
        return "samples name the same long locations or texts again and again, far more than in a "
               "profile of this size that a program wrote; `go tool pprof -noinlines -proto` makes "
               "one of shorter locations";
    switch (code) {
    case E_RANGE:
        return "a value below 0, as a difference of profiles has";
    case E_LIMIT:
        return "a stack of more than 65536 frames, a location of more than 1024, "
               "or values whose sum has more than 64 bits";
    default:
        return "a sample that is damaged, or of a location that is not in the file";
    }
}

/* If the profile is full, reading ends without an error: the profile itself knows what it lost. */
int pprof_in_next(struct reader_in *in)
{
    struct reading *r = in->state;
    int samples = 0, code = 0;
    if (r->stack.profile != in->profile)
        turn_to(r, in->profile);
    for (struct proto_in_field f; samples < SAMPLES_AT_A_TIME && proto_in_next(&r->whole, &f);) {
        if (f.number != PPROF_SAMPLE)
            continue;
        samples++;
        code = read_sample(r, &f);
        if (code == -ENOMEM && profile_lost(in->profile) > r->lost_before)
            return 0;
        if (code < 0 && r->damage)
            break;
        if (code < 0)
            return fail(in, code == -ENOMEM ? code : E_FORMAT, (uint64_t)(f.bytes - r->whole.bytes),
                        code == -ENOMEM ? NULL : why(r, code));
    }
    if (samples == SAMPLES_AT_A_TIME)
        return 1;
    if (in->feed->error)
        return fail(in, in->feed->error, in->feed->len, in->feed->why);
    return r->damage ? fail(in, r->damage, r->whole.len, r->why) : 0;
}

void pprof_in_close(struct reader_in *in)
{
    struct reading *r = in->state;
    if (!r)
        return;
    pprof_tables_done(&r->tables);
    pprof_stack_done(&r->stack);
    idmap_done(&r->threads);
    free(r);
    in->state = NULL;
}
