/*
 * format_pprof.c - writes profile.proto, which Go's pprof and many other tools read.
 *
 * A file has a column for each value that the profile has, and a sample for each event. Thread,
 * class, text and context of an event are labels. A sample is written at once, behind the table
 * rows to which it refers. So a file that was cut off can be read up to there. Layout:
 * docs/format/pprof.md. Reading: pprof_in.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/err.h"
#include "format/format.h"
#include "format/frame_name.h"
#include "format/locations.h"
#include "format/pprof.h"
#include "format/proto_out.h"
#include "format/sample_type.h"
#include "profile/context.h"
#include "profile/found.h"
#include "profile/process_set.h"
#include "profile/profile.h"

struct pprof {
    struct locations locations;
    struct sample_type types[SAMPLE_TYPES];
    size_t type_count;
    bool has_kinds; /* there are several kinds, so each sample says its own */
    /* How many rows of each table are in the file. */
    uint32_t strings, mappings, functions, places;
    struct proto_out message, sample, inner, line;
};

static void put_named_label(struct pprof *f, uint32_t key, uint32_t text, uint64_t number)
{
    proto_out_clear(&f->line);
    proto_out_number(&f->line, PPROF_KEY, key);
    proto_out_number(&f->line, PPROF_TEXT, text);
    proto_out_number(&f->line, PPROF_NUMBER, number);
    proto_out_message(&f->sample, PPROF_SAMPLE_LABEL, &f->line);
}

static void put_label(struct pprof *f, const char *key, uint32_t text, uint64_t number)
{
    put_named_label(f, locations_text(&f->locations, key), text, number);
}

/* The name of a context key. A key with the name of a label of hprof gets another name. */
static uint32_t name_key(struct writer_out *o, string_id key)
{
    struct pprof *f = o->state;
    const char *name = profile_string_at(o->profile, key)->bytes;
    string_id other = pprof_in_has_own_label(name)
                          ? frame_name_join(o->profile, PPROF_LABEL_CONTEXT, ".", name)
                          : key;
    return locations_string(&f->locations, other);
}

static void put_contexts(struct writer_out *o, context_id context)
{
    const struct context_set *contexts = profile_contexts(o->profile);
    struct pprof *f = o->state;
    for (uint32_t key = 0; key < contexts->key_count; key++) {
        string_id value = context_value(contexts, context, (int)key);
        uint32_t name = value ? name_key(o, contexts->keys[key].name) : 0;
        if (name)
            put_named_label(f, name, locations_string(&f->locations, value), 0);
    }
}

/* Only if there are several processes. */
static void put_process(struct writer_out *o, process_id id)
{
    const struct process_set *all = profile_processes(o->profile);
    struct pprof *f = o->state;
    if (!id || process_set_count(all) < 2)
        return;
    const struct process_set_row *row = process_set_at(all, id);
    put_label(f, PPROF_LABEL_PROCESS, locations_string(&f->locations, row->name), 0);
    if (row->pid)
        put_label(f, PPROF_LABEL_PID, 0, row->pid);
}

static void put_labels(struct writer_out *o, const struct event *event)
{
    struct pprof *f = o->state;
    struct locations *l = &f->locations;
    thread_id thread =
        event->thread ? event->thread : profile_trace_at(o->profile, event->trace)->thread;
    put_process(o, profile_process_of(o->profile, thread));
    if (thread && !profile_thread_is_rest(o->profile, thread)) {
        const struct profile_thread *row = profile_thread_at(o->profile, thread);
        put_label(f, PPROF_LABEL_THREAD, locations_string(l, row->name), 0);
        put_label(f, PPROF_LABEL_THREAD_ID, 0, row->serial);
    }
    if (event->klass)
        put_label(f, PPROF_LABEL_CLASS,
                  locations_string(l, profile_class_at(o->profile, event->klass)->name), 0);
    if (event->text)
        put_label(f, PPROF_LABEL_TEXT, locations_string(l, event->text), 0);
    if (f->has_kinds)
        put_label(f, PPROF_LABEL_KIND, locations_text(l, kind_all[event->kind]->word), 0);
    put_contexts(o, event->context);
}

static void put_mapping(struct pprof *f, uint32_t number)
{
    proto_out_clear(&f->inner);
    proto_out_number(&f->inner, PPROF_MAPPING_ID, number);
    proto_out_number(&f->inner, PPROF_MAPPING_FILE,
                     wordset_at(&f->locations.mappings, number)->words[0]);
    for (unsigned has = PPROF_HAS_FUNCTIONS; has <= PPROF_HAS_INLINES; has++)
        proto_out_number(&f->inner, has, 1);
    proto_out_message(&f->message, PPROF_MAPPING, &f->inner);
}

static void put_location(struct pprof *f, uint32_t number)
{
    const struct wordset_row *row = wordset_at(&f->locations.locations, number);
    proto_out_clear(&f->inner);
    proto_out_number(&f->inner, PPROF_LOCATION_ID, number);
    proto_out_number(&f->inner, PPROF_LOCATION_MAPPING, row->words[0]);
    for (uint32_t at = 1; at < row->count; at += 2) {
        proto_out_clear(&f->line);
        proto_out_number(&f->line, PPROF_LINE_FUNCTION, row->words[at]);
        proto_out_number(&f->line, PPROF_LINE_LINE, row->words[at + 1]);
        proto_out_message(&f->inner, PPROF_LOCATION_LINE, &f->line);
    }
    proto_out_message(&f->message, PPROF_LOCATION, &f->inner);
}

static void put_function(struct pprof *f, uint32_t number)
{
    const uint32_t *words = wordset_at(&f->locations.functions, number)->words;
    uint32_t name = words[LOCATIONS_NAME], system = words[LOCATIONS_SYSTEM];
    proto_out_clear(&f->inner);
    proto_out_number(&f->inner, PPROF_FUNCTION_ID, number);
    proto_out_number(&f->inner, PPROF_FUNCTION_NAME, name);
    proto_out_number(&f->inner, PPROF_FUNCTION_SYSTEM, system ? system : name);
    proto_out_number(&f->inner, PPROF_FUNCTION_FILE, words[LOCATIONS_FILE]);
    proto_out_message(&f->message, PPROF_FUNCTION, &f->inner);
}

static void put_string(struct pprof *f, uint32_t number)
{
    const struct profile_string *text = locations_string_at(&f->locations, number);
    proto_out_bytes(&f->message, PPROF_STRING, text->bytes, text->len);
}

/* Writes the rows that were added to the tables since the last call. */
static void put_tables(struct pprof *f)
{
    while (f->strings < wordset_count(&f->locations.strings))
        put_string(f, ++f->strings);
    while (f->mappings < wordset_count(&f->locations.mappings))
        put_mapping(f, ++f->mappings);
    while (f->functions < wordset_count(&f->locations.functions))
        put_function(f, ++f->functions);
    while (f->places < wordset_count(&f->locations.locations))
        put_location(f, ++f->places);
}

static int put_sample(struct writer_out *o, const struct event *event)
{
    struct pprof *f = o->state;
    int64_t depth = locations_of(&f->locations, event->trace);
    uint64_t values[SAMPLE_TYPES];
    bool is_any = false;
    if (depth < 0)
        return (int)depth;
    for (size_t i = 0; i < f->type_count; i++) {
        const struct sample_type *type = &f->types[i];
        values[i] = type->kind == event->kind ? event->value[type->value] : 0;
        if (values[i] > INT64_MAX)
            return E_LIMIT;
        is_any |= values[i] > 0;
    }
    if (!is_any)
        return 0;
    proto_out_clear(&f->sample);
    proto_out_list(&f->sample, PPROF_SAMPLE_LOCATION, f->locations.stack, (size_t)depth);
    proto_out_list(&f->sample, PPROF_SAMPLE_VALUE, values, f->type_count);
    put_labels(o, event);
    put_tables(f);
    proto_out_message(&f->message, PPROF_SAMPLE, &f->sample);
    return proto_out_put(&f->message, o->sink);
}

/* String 0 of the file must be empty. */
static void put_types(struct writer_out *o)
{
    struct pprof *f = o->state;
    struct locations *l = &f->locations;
    proto_out_bytes(&f->message, PPROF_STRING, "", 0);
    for (size_t i = 0; i < f->type_count; i++) {
        const struct sample_type *type = &f->types[i];
        proto_out_clear(&f->inner);
        proto_out_number(&f->inner, PPROF_TYPE, locations_text(l, type->type));
        proto_out_number(&f->inner, PPROF_UNIT, locations_text(l, type->unit));
        proto_out_message(&f->message, PPROF_SAMPLE_TYPE, &f->inner);
        if (type->kind == o->kind && type->value == o->value)
            proto_out_number(&f->message, PPROF_DEFAULT_TYPE, locations_text(l, type->type));
    }
    const struct found *found = profile_found(o->profile);
    proto_out_number(&f->message, PPROF_TIME, found->from_ns);
    proto_out_number(&f->message, PPROF_DURATION, found->to_ns - found->from_ns);
    proto_out_number(&f->message, PPROF_COMMENT, locations_string(l, profile_program(o->profile)));
    put_tables(f);
}

static int begin(struct writer_out *o)
{
    struct pprof *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    locations_init(&f->locations, o->profile);
    f->type_count = sample_type_there(o->profile, o->kinds, f->types);
    for (size_t i = 1; i < f->type_count; i++)
        f->has_kinds |= f->types[i].kind != f->types[0].kind;
    o->state = f;
    put_types(o);
    return proto_out_put(&f->message, o->sink);
}

static int end(struct writer_out *o)
{
    struct pprof *f = o->state;
    if (!f)
        return 0;
    locations_done(&f->locations);
    proto_out_done(&f->message);
    proto_out_done(&f->sample);
    proto_out_done(&f->inner);
    proto_out_done(&f->line);
    free(f);
    o->state = NULL;
    return 0;
}

static const struct reader reader = {
    .probe = pprof_in_probe,
    .open = pprof_in_open,
    .next = pprof_in_next,
    .close = pprof_in_close,
    .abilities = READER_FOLDABLE,
};

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_PICTURE | WRITER_CONTEXTS | WRITER_PROCESSES,
    .begin = begin,
    .event = put_sample,
    .end = end,
};

const struct format format_pprof = {
    .name = "pprof",
    .help = "profile.proto: Go's pprof, Pyroscope, Parca, speedscope",
    .suffixes = ".pb .pprof",
    .reader = &reader,
    .writer = &writer,
};
