/*
 * format_otlp.c - profiles of OpenTelemetry: a ProfilesData message, one Profile for each value.
 *
 * The message has one dictionary, whose tables begin with an empty row, hold nothing twice and
 * nothing that nobody refers to. Samples are sums, without times of their own; the thread, class
 * and text of an event are attributes, the kind of a frame one of its location.
 * Written only. Layout: docs/format/otlp.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/format.h"
#include "format/otlp.h"
#include "format/otlp_dictionary.h"
#include "format/proto_out.h"
#include "format/sample_type.h"
#include "profile/profile.h"

/* A row of the model. Its attributes are a row of `sets`, which are numbers of attributes. */
struct sample {
    enum event_kind kind;
    uint32_t stack, attributes; /* 0: none */
    uint64_t value[EVENT_VALUES];
};

struct otlp {
    struct otlp_dictionary dictionary;
    struct arena arena;
    struct table samples;
    struct proto_out message, inner, line;
};

static int begin(struct format_out *o)
{
    struct otlp *f = calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    otlp_dictionary_init(&f->dictionary, o->profile);
    arena_init(&f->arena, SIZE_MAX);
    table_init(&f->samples, sizeof(struct sample));
    o->state = f;
    return 0;
}

/* Returns whether there was memory; *ret_set is 0 where there are none. */
static bool attributes_of(struct format_out *o, const struct event *event, uint32_t *ret_set)
{
    struct otlp_dictionary *d = &((struct otlp *)o->state)->dictionary;
    thread_id thread =
        event->thread ? event->thread : profile_trace_at(o->profile, event->trace)->thread;
    uint32_t set[4], count = 0;

    if (thread) {
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
    for (uint32_t i = 0; i < count; i++)
        if (!set[i])
            return false;
    *ret_set = count ? wordset_add(&d->sets, set, count) : 0;
    return !count || *ret_set;
}

/* Of a value that a profile is made of: else nothing would refer to its stack. */
static bool has_value(const struct event *event)
{
    for (size_t i = 0; i < SAMPLE_TYPES; i++)
        if (sample_type_all[i].kind == event->kind && event->value[sample_type_all[i].value] > 0)
            return true;
    return false;
}

static int add(struct format_out *o, const struct event *event)
{
    struct otlp *f = o->state;
    struct sample sample = {.kind = event->kind};
    struct sample *row;

    for (uint32_t i = 0; i < event_values(event->kind); i++)
        if (event->value[i] > INT64_MAX)
            return E_LIMIT;
    if (!has_value(event))
        return 0;
    memcpy(sample.value, event->value, sizeof(sample.value));
    if (!otlp_dictionary_stack(&f->dictionary, event->trace, &sample.stack) ||
        !attributes_of(o, event, &sample.attributes))
        return -ENOMEM;
    row = table_add(&f->samples, &f->arena);
    if (!row)
        return -ENOMEM;
    *row = sample;
    return 0;
}

static void put_samples(struct otlp *f, const struct sample_type *type, struct proto_out *into)
{
    for (uint32_t i = 1; i <= f->samples.count; i++) {
        const struct sample *s = table_at(&f->samples, i);

        if (s->kind != type->kind || s->value[type->value] == 0)
            continue;
        proto_out_clear(&f->line);
        proto_out_number(&f->line, OTLP_SAMPLE_STACK, s->stack);
        if (s->attributes)
            otlp_dictionary_list(&f->dictionary, &f->line, OTLP_SAMPLE_ATTRIBUTES,
                                 wordset_at(&f->dictionary.sets, s->attributes));
        proto_out_list(&f->line, OTLP_SAMPLE_VALUES, &s->value[type->value], 1);
        proto_out_message(into, OTLP_PROFILE_SAMPLES, &f->line);
    }
}

static void put_type(struct otlp *f, const struct sample_type *type, struct proto_out *into,
                     unsigned field)
{
    proto_out_clear(&f->line);
    proto_out_number(&f->line, OTLP_TYPE, locations_text(&f->dictionary.locations, type->type));
    proto_out_number(&f->line, OTLP_UNIT, locations_text(&f->dictionary.locations, type->unit));
    proto_out_message(into, field, &f->line);
}

/* A sample of the value stands for one of its unit: the period that receivers want. */
static void put_profile(struct otlp *f, const struct sample_type *type, struct proto_out *into)
{
    struct proto_out profile = {0};

    put_type(f, type, &profile, OTLP_PROFILE_TYPE);
    put_samples(f, type, &profile);
    put_type(f, type, &profile, OTLP_PROFILE_PERIOD_TYPE);
    proto_out_number(&profile, OTLP_PROFILE_PERIOD, 1);
    proto_out_message(into, OTLP_SCOPE_PROFILES, &profile);
    proto_out_done(&profile);
}

/* What the profiles are of: the program. */
static void put_resource(struct format_out *o)
{
    struct otlp *f = o->state;
    string_id program = profile_program(o->profile);

    if (!program)
        program = profile_cstring(o->profile, "unknown_service:java");
    proto_out_clear(&f->line);
    proto_out_bytes(&f->line, OTLP_KEY, OTLP_SERVICE, strlen(OTLP_SERVICE));
    if (program)
        otlp_dictionary_any(&f->line, OTLP_VALUE, profile_string_at(o->profile, program));
    proto_out_clear(&f->inner);
    proto_out_message(&f->inner, OTLP_RESOURCE_ATTRIBUTES, &f->line);
    proto_out_message(&f->message, OTLP_RESOURCE, &f->inner);
}

static void put_scope(struct format_out *o)
{
    struct otlp *f = o->state;
    const struct sample_type *types[SAMPLE_TYPES];
    size_t count = sample_type_there(o->profile, o->kinds, types);
    struct proto_out scope = {0};

    proto_out_clear(&f->line);
    proto_out_bytes(&f->line, OTLP_SCOPE_NAME, "hprof", strlen("hprof"));
    proto_out_bytes(&f->line, OTLP_SCOPE_VERSION, HPROF_VERSION, strlen(HPROF_VERSION));
    proto_out_message(&scope, OTLP_SCOPE, &f->line);
    for (size_t i = 0; i < count; i++)
        put_profile(f, types[i], &scope);
    proto_out_message(&f->message, OTLP_RESOURCE_SCOPES, &scope);
    proto_out_done(&scope);
}

static int put_data(struct format_out *o)
{
    struct otlp *f = o->state;
    struct proto_out data = {0};

    put_resource(o);
    put_scope(o);
    proto_out_message(&data, OTLP_DATA_RESOURCE, &f->message);
    proto_out_clear(&f->message);
    otlp_dictionary_put(&f->dictionary, &f->message);
    proto_out_message(&data, OTLP_DATA_DICTIONARY, &f->message);
    int r = proto_out_put(&data, o->sink);
    proto_out_done(&data);
    return r;
}

static int end(struct format_out *o)
{
    struct otlp *f = o->state;

    if (!f)
        return 0;
    int r = put_data(o);
    otlp_dictionary_done(&f->dictionary);
    arena_done(&f->arena);
    proto_out_done(&f->message);
    proto_out_done(&f->inner);
    proto_out_done(&f->line);
    free(f);
    o->state = NULL;
    return r;
}

const struct format format_otlp = {
    .name = "otlp",
    .help = "OpenTelemetry's profiles, a ProfilesData message",
    .suffixes = ".otlp",
    .is_picture = true,
    .kinds = FORMAT_KINDS_ALL,
    .begin = begin,
    .event = add,
    .end = end,
};
