/*
 * jfr_schema.h - what the JFR chunks that hprof writes can contain, as data: jfr_event.def as a
 * table, and the event types of sums, which are made from the kinds (kind/kind.h).
 *
 * The data have two uses: the metadata of a chunk, and the encoding of an event.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/context.h"
#include "profile/event.h"

struct custom_event;
struct custom_list;
struct custom_type;
struct jfr_bytes;
struct jfr_words;

enum jfr_schema_type {
#define TYPE(name, ...) JFR_SCHEMA_TYPE_##name,
#define FIELD(...)
#include "format/jfr_event.def"
#undef TYPE
#undef FIELD
    JFR_SCHEMA_TYPES,
};

/** The sort of a row of the table. */
enum jfr_schema_sort {
    JFR_SCHEMA_FIELD, /* not a type, but a field of the type before it */
    JFR_SCHEMA_VALUE,
    JFR_SCHEMA_SIMPLE, /* tools show it as its only field */
    JFR_SCHEMA_EVENT,
    JFR_SCHEMA_ANNOTATION,
};

/** How a field is encoded. */
enum jfr_schema_hold {
    JFR_SCHEMA_INLINE,
    JFR_SCHEMA_POOL,  /* the key of a constant in the pool of its type */
    JFR_SCHEMA_ARRAY, /* a count and so many values */
};

/** The meaning of the number in a field. */
enum jfr_schema_content {
    JFR_SCHEMA_PLAIN,
    JFR_SCHEMA_TICKS,      /* a moment */
    JFR_SCHEMA_EPOCH_MS,   /* milliseconds since 1970 */
    JFR_SCHEMA_SPAN_TICKS, /* a length of time */
    JFR_SCHEMA_SPAN_NS,
    JFR_SCHEMA_SPAN_MS,
    JFR_SCHEMA_BYTES,
    JFR_SCHEMA_ADDRESS,
    JFR_SCHEMA_PERCENT, /* a fraction of 1 */
    JFR_SCHEMA_COUNT,
};

/** The value of a field. Values are in the order of the fields; the fields of an inline type stand
 * one after the other. */
union jfr_schema_value {
    uint64_t number; /* also a key or a boolean */
    double real;
    const char *text; /* NUL-terminated, modified UTF-8; NULL: none */
};

/** The names that the program itself has given, for one chunk: the fields of the type
 * hprof.types.Context, and the program's own types of events. */
struct jfr_schema_keys {
    uint32_t count; /* 0: no event has a field "context" */
    struct {
        const char *name, *about; /* `about` NULL: the program gave no description */
    } of[CONTEXT_KEYS];
    /* The chunk has the first `custom_count` types of this list; NULL: there are none. */
    const struct custom_list *customs;
    uint32_t custom_count;
};

/** The parts of a program's own event in addition to its values. `thread`, `stack` and `context`
 * are keys of pools. */
struct jfr_schema_of_custom {
    uint64_t start_ns, duration_ns, thread, stack, context;
};

enum {
    JFR_SCHEMA_VALUES = 16, /* largest number of values of an event */
    JFR_SCHEMA_NAME = 64,   /* bytes of a name that is made here */
};

/** The type's number in files. */
uint32_t jfr_schema_id(enum jfr_schema_type type);
/** The number of the type with this name in files; 0: hprof writes no type with this name. */
uint32_t jfr_schema_id_named(const char *name);
/** The number of the type whose events are sums of this kind. */
uint32_t jfr_schema_sum_id(enum kind_id kind);
/** The number of a type that the program has defined. */
uint32_t jfr_schema_custom_id(const struct custom_type *type);
/** The kind whose sums have this type name in files, like "hprof.OpenCall"; KIND_COUNT: none. */
enum kind_id jfr_schema_sum_named(const char *name);

/** Writes the metadata event of a chunk. `gmt_offset_ms` is the offset of the local time; `words`
 * is memory for the work. */
void jfr_schema_describe(struct jfr_bytes *b, struct jfr_words *words, uint64_t time_ns,
                         int64_t gmt_offset_ms, const struct jfr_schema_keys *keys);
/** Whether events of this type have a context, if there are keys. */
bool jfr_schema_has_context(enum jfr_schema_type type);
/** Writes an event with its size, and with its context if the chunk `has_keys`. Returns false if
 * there was no room; then nothing has changed. */
bool jfr_schema_put(struct jfr_bytes *b, enum jfr_schema_type type,
                    const union jfr_schema_value *values, bool has_keys);
/** Writes a sum. `stack` is the key of its trace. Errors: as jfr_schema_put(). */
bool jfr_schema_put_sum(struct jfr_bytes *b, const struct event *event, uint64_t stack,
                        const char *text);
/** Writes an event of the program. Threads and classes among its values are keys. Errors: as
 * jfr_schema_put(). */
bool jfr_schema_put_custom(struct jfr_bytes *b, const struct custom_event *event,
                           const struct jfr_schema_of_custom *of, bool has_keys);
