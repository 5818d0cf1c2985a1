/*
 * jfr_schema.h - what the JFR chunks that we write can hold, as data: jfr_event.def as a table, the
 * event types of sums that are made from the kinds (kind/kind.h), and the two uses of both: a
 * chunk's metadata, and the encoding of an event.
 *
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

/** What a type is. */
enum jfr_schema_sort {
    JFR_SCHEMA_FIELD, /* none, but a field of the type before it */
    JFR_SCHEMA_VALUE,
    JFR_SCHEMA_SIMPLE, /* shown as its one field */
    JFR_SCHEMA_EVENT,
    JFR_SCHEMA_ANNOTATION,
};

/** How a field is held. */
enum jfr_schema_hold {
    JFR_SCHEMA_INLINE,
    JFR_SCHEMA_POOL,  /* as a key of its type's pool */
    JFR_SCHEMA_ARRAY, /* a count and so many of them */
};

/** What the number in a field is. */
enum jfr_schema_content {
    JFR_SCHEMA_PLAIN,
    JFR_SCHEMA_TICKS,      /* a moment */
    JFR_SCHEMA_EPOCH_MS,   /* a moment in milliseconds since 1970 */
    JFR_SCHEMA_SPAN_TICKS, /* a length of time */
    JFR_SCHEMA_SPAN_NS,
    JFR_SCHEMA_SPAN_MS,
    JFR_SCHEMA_BYTES,
    JFR_SCHEMA_ADDRESS,
    JFR_SCHEMA_PERCENT, /* a fraction of 1 */
    JFR_SCHEMA_COUNT,
};

/** A value of a field, in the order of the fields; those of an inline type one after another. */
union jfr_schema_value {
    uint64_t number; /* also a key, a boolean */
    double real;
    const char *text; /* NUL-terminated, modified UTF-8; NULL: none */
};

/** What the program itself has named, for a chunk: the fields of the type hprof.types.Context, and
 * its own types of events. */
struct jfr_schema_keys {
    uint32_t count; /* 0: no event has such a field */
    struct {
        const char *name, *about; /* about NULL: nothing was said */
    } of[CONTEXT_KEYS];
    const struct custom_list *customs; /* the first `custom_count` of them; NULL: there are none */
    uint32_t custom_count;
};

/** What an event of the program's own has besides its values; keys of pools. */
struct jfr_schema_of_custom {
    uint64_t start_ns, duration_ns, thread, stack, context;
};

enum {
    JFR_SCHEMA_VALUES = 16, /* fields of an event at most */
    JFR_SCHEMA_NAME = 64,   /* bytes of a name that is made */
};

/** The type's number in files. */
uint32_t jfr_schema_id(enum jfr_schema_type type);
/** The same by the type's name in files; 0: we write none of that name. */
uint32_t jfr_schema_id_named(const char *name);
/** The same of the event that is a sum of events of this kind. */
uint32_t jfr_schema_sum_id(enum kind_id kind);
/** The same of the events of a type that the program has defined. */
uint32_t jfr_schema_custom_id(const struct custom_type *type);
/** The kind by the name that its sum has in files, as in "hprof.OpenCall"; KIND_COUNT: none has
 * it.
 */
enum kind_id jfr_schema_sum_named(const char *name);

/** The metadata event of a chunk. `gmt_offset_ms`: of the local time; `words` is room for it. */
void jfr_schema_describe(struct jfr_bytes *b, struct jfr_words *words, uint64_t time_ns,
                         int64_t gmt_offset_ms, const struct jfr_schema_keys *keys);
/** Whether events of this type have a context, where there are keys. */
bool jfr_schema_has_context(enum jfr_schema_type type);
/** An event with its size, and its context if the chunk `has_keys`. Returns false where there was
 * no room: then nothing has changed. */
bool jfr_schema_put(struct jfr_bytes *b, enum jfr_schema_type type,
                    const union jfr_schema_value *values, bool has_keys);
/** The sum `event`, whose trace has the key `stack`. Errors: as jfr_schema_put(). */
bool jfr_schema_put_sum(struct jfr_bytes *b, const struct event *event, uint64_t stack,
                        const char *text);
/** An event of the program's own; threads and classes among its values are keys. Errors: as
 * jfr_schema_put(). */
bool jfr_schema_put_custom(struct jfr_bytes *b, const struct custom_event *event,
                           const struct jfr_schema_of_custom *of, bool has_keys);
