/*
 * format_otlp.c - profiles of OpenTelemetry: a ProfilesData message, one Profile for each value.
 *
 * The message has one dictionary. Its tables begin with an empty row, contain no row twice, and no
 * row to which nothing refers. Each process is a resource with profiles of its own. Samples are
 * sums, without times of their own. The thread, class, text and context of an event are attributes
 * of its sample, but for a span that the thread worked for, to which the sample has a link; the
 * kind of a frame is an attribute of its location. Written only. Layout: docs/format/otlp.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "format/format.h"
#include "format/otlp.h"
#include "format/otlp_dictionary.h"
#include "format/proto_out.h"
#include "format/sample_type.h"
#include "format/thread_rows.h"
#include "profile/context.h"
#include "profile/found.h"
#include "profile/process_set.h"
#include "profile/profile.h"

/* The sum of all rows of the model that are equal in everything that a sample says. `attributes` is
 * a row of `sets`: a list of numbers of attributes. */
struct sample {
    enum kind_id kind;
    process_id process;               /* 0: unknown */
    uint32_t stack, attributes, link; /* 0: none */
    uint64_t value[KIND_VALUES];
};

struct otlp {
    struct otlp_dictionary dictionary;
    struct arena arena;
    struct table samples;
    struct wordset keys;           /* row N: the things in which sample N differs from the others */
    struct thread_rows by_process; /* made in end() */
    struct proto_out message, inner, line;
    struct otlp_request *request, none; /* a file has none of its own */
    string_id trace_name, span_name;
    int trace_key, span_key; /* of the contexts; -1: there is no such key */
};

static int begin(struct writer_out *o)
{
    struct otlp *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->trace_name = profile_cstring(o->profile, CONTEXT_TRACE_ID);
    f->span_name = profile_cstring(o->profile, CONTEXT_SPAN_ID);
    otlp_dictionary_init(&f->dictionary, o->profile);
    arena_init(&f->arena, SIZE_MAX);
    table_init(&f->samples, sizeof(struct sample));
    wordset_init(&f->keys);
    f->request = profile_attachment(o->profile, OTLP_ATTACHMENT);
    if (!f->request)
        f->request = &f->none;
    o->state = f;
    return 0;
}

enum { ATTRIBUTES = 4 + CONTEXT_KEYS, INSTANCE_ROOM = 512 };

/* The link to the span that the event's thread worked for. Returns false without memory. *ret_link
 * is 0 if the context names no span. */
static bool link_of_event(struct writer_out *o, const struct event *event, uint32_t *ret_link)
{
    struct otlp_dictionary *d = &((struct otlp *)o->state)->dictionary;
    const struct context_set *contexts = profile_contexts(o->profile);
    string_id trace = context_value(contexts, event->context, ((struct otlp *)o->state)->trace_key),
              span = context_value(contexts, event->context, ((struct otlp *)o->state)->span_key);
    *ret_link = 0;
    if (!otlp_dictionary_is_span(d, trace, span))
        return true;
    *ret_link = otlp_dictionary_link(d, trace, span);
    return *ret_link != 0;
}

/* Puts what the thread worked for into `set`, but for the span that a link names. Returns how many
 * attributes; without memory they are 0. */
static uint32_t context_of_event(struct writer_out *o, const struct event *event, bool is_linked,
                                 uint32_t *set)
{
    struct otlp *f = o->state;
    struct otlp_dictionary *d = &f->dictionary;
    const struct context_set *contexts = profile_contexts(o->profile);
    uint32_t count = 0;
    for (uint32_t key = 0; key < contexts->key_count; key++) {
        if (is_linked && ((int)key == f->trace_key || (int)key == f->span_key))
            continue;
        string_id name = contexts->keys[key].name;
        string_id value = context_value(contexts, event->context, (int)key);
        if (value && profile_string_at(o->profile, name)->len)
            set[count++] = otlp_dictionary_context(d, name, value);
    }
    return count;
}

/* Returns false without memory. *ret_set is 0 if the event has no attributes. */
static bool attributes_of(struct writer_out *o, const struct event *event, thread_id thread,
                          bool is_linked, uint32_t *ret_set)
{
    struct otlp_dictionary *d = &((struct otlp *)o->state)->dictionary;
    uint32_t set[ATTRIBUTES], count = 0;
    if (thread && !profile_thread_is_rest(o->profile, thread)) {
        const struct profile_thread *row = profile_thread_at(o->profile, thread);
        set[count++] = otlp_dictionary_number(d, OTLP_THREAD_ID, row->serial);
        if (row->name && profile_string_at(o->profile, row->name)->len)
            set[count++] = otlp_dictionary_text(d, OTLP_THREAD_NAME, row->name);
    }
    if (event->klass)
        set[count++] =
            otlp_dictionary_text(d, OTLP_CLASS, profile_class_at(o->profile, event->klass)->name);
    if (event->text && profile_string_at(o->profile, event->text)->len)
        set[count++] = otlp_dictionary_text(d, OTLP_TEXT, event->text);
    count += context_of_event(o, event, is_linked, set + count);
    for (uint32_t i = 0; i < count; i++)
        if (!set[i])
            return false;
    *ret_set = count ? wordset_add(&d->sets, set, count) : 0;
    return !count || *ret_set;
}

/* Whether a profile has one of the event's values. Otherwise nothing would refer to the event's
 * stack. */
static bool has_value(const struct event *event)
{
    for (uint32_t i = 0; i < KIND_VALUES; i++)
        if (kind_all[event->kind]->values[i].sample_type && event->value[i] > 0)
            return true;
    return false;
}

/* Errors: 0; -ENOMEM; E_LIMIT. */
static int add_sample(struct otlp *f, const struct sample *sample)
{
    const uint32_t key[] = {sample->kind, sample->process, sample->stack, sample->attributes,
                            sample->link};
    uint32_t number = wordset_add(&f->keys, key, sizeof(key) / sizeof(*key));
    struct sample *row;
    if (!number)
        return -ENOMEM;
    if (number > f->samples.count) {
        row = table_add(&f->samples, &f->arena);
        if (!row)
            return -ENOMEM;
        *row = *sample;
        return 0;
    }
    row = table_at(&f->samples, number);
    for (uint32_t i = 0; i < kind_value_count(sample->kind); i++) {
        if (sample->value[i] > INT64_MAX - row->value[i])
            return E_LIMIT;
        row->value[i] += sample->value[i];
    }
    return 0;
}

/* Contexts may get keys while events come. */
static void find_keys(struct writer_out *o)
{
    struct otlp *f = o->state;
    const struct context_set *contexts = profile_contexts(o->profile);
    f->trace_key = context_find_key(contexts, f->trace_name);
    f->span_key = context_find_key(contexts, f->span_name);
}

static int add(struct writer_out *o, const struct event *event)
{
    struct otlp *f = o->state;
    thread_id thread =
        event->thread ? event->thread : profile_trace_at(o->profile, event->trace)->thread;
    struct sample sample = {.kind = event->kind, .process = profile_process_of(o->profile, thread)};
    for (uint32_t i = 0; i < kind_value_count(event->kind); i++)
        if (event->value[i] > INT64_MAX)
            return E_LIMIT;
    if (!has_value(event))
        return 0;
    if (event->context)
        find_keys(o);
    memcpy(sample.value, event->value, sizeof(sample.value));
    if (!otlp_dictionary_stack(&f->dictionary, event->trace, &sample.stack) ||
        !link_of_event(o, event, &sample.link) ||
        !attributes_of(o, event, thread, sample.link != 0, &sample.attributes))
        return -ENOMEM;
    return add_sample(f, &sample);
}

/* Writes the samples of a process. Returns whether there are any. */
static bool put_samples(struct otlp *f, process_id process, const struct sample_type *type,
                        struct proto_out *into)
{
    const struct thread_rows *by = &f->by_process;
    bool is_any = false;
    for (uint32_t at = by->first[process]; at < by->first[process + 1]; at++) {
        const struct sample *s = table_at(&f->samples, by->rows[at]);
        if (s->kind != type->kind || s->value[type->value] == 0)
            continue;
        is_any = true;
        proto_out_clear(&f->line);
        f->request->samples++;
        proto_out_number(&f->line, OTLP_SAMPLE_STACK, s->stack);
        if (s->attributes)
            otlp_dictionary_list(&f->dictionary, &f->line, OTLP_SAMPLE_ATTRIBUTES,
                                 wordset_at(&f->dictionary.sets, s->attributes));
        if (s->link)
            proto_out_number(&f->line, OTLP_SAMPLE_LINK, s->link);
        proto_out_list(&f->line, OTLP_SAMPLE_VALUES, &s->value[type->value], 1);
        proto_out_message(into, OTLP_PROFILE_SAMPLES, &f->line);
    }
    return is_any;
}

static void put_type(struct otlp *f, const struct sample_type *type, struct proto_out *into,
                     unsigned field)
{
    proto_out_clear(&f->line);
    proto_out_number(&f->line, OTLP_TYPE, locations_text(&f->dictionary.locations, type->type));
    proto_out_number(&f->line, OTLP_UNIT, locations_text(&f->dictionary.locations, type->unit));
    proto_out_message(into, field, &f->line);
}

/* Each profile gets an identifier, and the next one another. */
static void put_id(struct otlp_request *r, struct proto_out *profile)
{
    proto_out_bytes(profile, OTLP_PROFILE_ID, r->id, sizeof(r->id));
    r->profiles++;
    for (size_t i = sizeof(r->id); i > 0 && ++r->id[i - 1] == 0; i--)
        ;
}

/* Receivers want a period: here a sample with the value N stands for N of its unit, so it is 1. */
static void put_profile(struct writer_out *o, process_id process, const struct sample_type *type,
                        struct proto_out *into)
{
    const struct found *found = profile_found(o->profile);
    struct otlp *f = o->state;
    struct proto_out profile = {0};
    put_type(f, type, &profile, OTLP_PROFILE_TYPE);
    if (put_samples(f, process, type, &profile)) {
        if (found->from_ns)
            proto_out_fixed64(&profile, OTLP_PROFILE_TIME, found->from_ns);
        proto_out_number(&profile, OTLP_PROFILE_DURATION, found->to_ns - found->from_ns);
        put_type(f, type, &profile, OTLP_PROFILE_PERIOD_TYPE);
        proto_out_number(&profile, OTLP_PROFILE_PERIOD, 1);
        if (f->request != &f->none)
            put_id(f->request, &profile);
        proto_out_message(into, OTLP_SCOPE_PROFILES, &profile);
    }
    proto_out_done(&profile);
}

/* Begins an attribute of the resource. Its key is a text, not a row of the dictionary. */
static struct proto_out *begin_attribute(struct otlp *f, const char *key)
{
    proto_out_clear(&f->line);
    proto_out_bytes(&f->line, OTLP_KEY, key, strlen(key));
    return &f->line;
}

/* Whether the request gives the resource this attribute. */
static bool is_given(const struct otlp *f, const char *key)
{
    for (size_t i = 0; i < f->request->count; i++)
        if (strcmp(f->request->attributes[i].key, key) == 0)
            return true;
    return false;
}

static void put_number(struct otlp *f, const char *key, uint64_t number)
{
    struct proto_out any = {0};
    if (is_given(f, key))
        return;
    proto_out_number(&any, OTLP_ANY_INT, number);
    proto_out_message(begin_attribute(f, key), OTLP_VALUE, &any);
    proto_out_message(&f->inner, OTLP_RESOURCE_ATTRIBUTES, &f->line);
    proto_out_done(&any);
}

static void put_any(struct otlp *f, const char *key, const struct profile_string *text)
{
    otlp_dictionary_any(begin_attribute(f, key), OTLP_VALUE, text);
    proto_out_message(&f->inner, OTLP_RESOURCE_ATTRIBUTES, &f->line);
}

static void put_text(struct otlp *f, const char *key, const struct profile_string *text)
{
    if (!is_given(f, key))
        put_any(f, key, text);
}

static void put_words(struct otlp *f, const char *key, const char *text)
{
    put_text(f, key, &(struct profile_string){text, (uint32_t)strlen(text)});
}

/* Writes a time like "2026-01-31T14:05:00.250Z". */
static void put_start(struct otlp *f, int64_t start_ms)
{
    time_t seconds = (time_t)(start_ms / 1000);
    char text[64];
    struct tm utc;
    if (start_ms <= 0 || !gmtime_r(&seconds, &utc))
        return;
    size_t len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    len += (size_t)snprintf(text + len, sizeof(text) - len, ".%03dZ", (int)(start_ms % 1000));
    put_text(f, OTLP_CREATION, &(struct profile_string){text, (uint32_t)len});
}

/* What a request says of a resource in addition. */
static void put_requested(struct writer_out *o, const struct process_set_row *row)
{
    struct otlp *f = o->state;
    struct profile *p = o->profile;
    const struct found *found = profile_found(o->profile);
    const char *vm = found->vm ? profile_string_at(p, found->vm)->bytes : NULL;
    char instance[INSTANCE_ROOM];
    for (size_t i = 0; i < f->request->count; i++) {
        const struct otlp_attribute *a = &f->request->attributes[i];
        put_any(f, a->key, &(struct profile_string){a->value, (uint32_t)strlen(a->value)});
    }
    /* The version is the last word; of several JVMs that of one is known. */
    if (vm && strrchr(vm, ' ') && process_set_count(profile_processes(o->profile)) <= 1)
        put_words(f, OTLP_RUNTIME, strrchr(vm, ' ') + 1);
    if (!row || !row->pid)
        return;
    snprintf(instance, sizeof(instance), "%s:%" PRIu32 ":%" PRId64,
             f->request->host && *f->request->host ? f->request->host : "unknown", row->pid,
             row->start_ms);
    put_words(f, OTLP_INSTANCE, instance);
}

/* Writes where the profiles come from: the process, or the program. */
static void put_resource(struct writer_out *o, process_id process, struct proto_out *into)
{
    static const char unknown[] = "unknown_service:java";
    struct otlp *f = o->state;
    const struct process_set_row *row =
        process ? process_set_at(profile_processes(o->profile), process) : NULL;
    string_id name = row && row->name ? row->name : profile_program(o->profile);
    proto_out_clear(&f->inner);
    put_text(f, OTLP_SERVICE,
             name ? profile_string_at(o->profile, name)
                  : &(struct profile_string){unknown, sizeof(unknown) - 1});
    if (row && row->pid)
        put_number(f, OTLP_PID, row->pid);
    if (row)
        put_start(f, row->start_ms);
    if (f->request != &f->none)
        put_requested(o, row);
    proto_out_message(into, OTLP_RESOURCE, &f->inner);
}

static void put_scope(struct writer_out *o, process_id process, struct proto_out *into)
{
    struct otlp *f = o->state;
    struct sample_type types[SAMPLE_TYPES];
    size_t count = sample_type_there(o->profile, o->kinds, types);
    struct proto_out scope = {0};
    proto_out_clear(&f->line);
    proto_out_bytes(&f->line, OTLP_SCOPE_NAME, "hprof", strlen("hprof"));
    proto_out_bytes(&f->line, OTLP_SCOPE_VERSION, HPROF_VERSION, strlen(HPROF_VERSION));
    proto_out_message(&scope, OTLP_SCOPE, &f->line);
    for (size_t i = 0; i < count; i++)
        put_profile(o, process, &types[i], &scope);
    proto_out_message(into, OTLP_RESOURCE_SCOPES, &scope);
    proto_out_done(&scope);
}

static int put_data(struct writer_out *o)
{
    struct otlp *f = o->state;
    const struct thread_rows *by = &f->by_process;
    const uint32_t processes = process_set_count(profile_processes(o->profile));
    struct proto_out data = {0};
    if (thread_rows_make(&f->by_process, &f->samples, offsetof(struct sample, process), processes) <
        0)
        return -ENOMEM;
    for (process_id process = 0; process <= processes; process++) {
        if (by->first[process] == by->first[process + 1])
            continue;
        proto_out_clear(&f->message);
        put_resource(o, process, &f->message);
        put_scope(o, process, &f->message);
        proto_out_message(&data, OTLP_DATA_RESOURCE, &f->message);
    }
    proto_out_clear(&f->message);
    otlp_dictionary_put(&f->dictionary, &f->message);
    proto_out_message(&data, OTLP_DATA_DICTIONARY, &f->message);
    int r = proto_out_put(&data, o->sink);
    proto_out_done(&data);
    return r;
}

static int end(struct writer_out *o)
{
    struct otlp *f = o->state;
    if (!f)
        return 0;
    int r = put_data(o);
    otlp_dictionary_done(&f->dictionary);
    arena_done(&f->arena);
    wordset_done(&f->keys);
    thread_rows_done(&f->by_process);
    proto_out_done(&f->message);
    proto_out_done(&f->inner);
    proto_out_done(&f->line);
    free(f);
    o->state = NULL;
    return r;
}

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_PICTURE | WRITER_CONTEXTS | WRITER_PROCESSES,
    .begin = begin,
    .event = add,
    .end = end,
};

const struct format format_otlp = {
    .name = "otlp",
    .help = "OpenTelemetry's profiles, a ProfilesData message",
    .suffixes = ".otlp",
    .writer = &writer,
};
