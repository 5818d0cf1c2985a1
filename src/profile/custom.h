/*
 * custom.h - events of types that have fields of their own: their types, and one of them.
 *
 * An event of kind EVENT_CUSTOM carries the values of its type's fields. In the agent an
 * application has defined the type; where a file is read, the file has. Types are made once, stay
 * as they are and are never given back; their numbers, which count from 0, are places in a list
 * that only grows. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/* Of an application. */
enum {
    CUSTOM_TYPES = 64,
    CUSTOM_FIELDS = 16,
};

/** What a value is; in the order of hprof.jar's HprofEventType. */
enum custom_sort {
    CUSTOM_BOOLEAN,
    CUSTOM_INT,
    CUSTOM_LONG,
    CUSTOM_DOUBLE,
    CUSTOM_TEXT,
    CUSTOM_THREAD,
    CUSTOM_CLASS,
    CUSTOM_SORTS,
};

/** What a number counts, likewise; those behind CUSTOM_PROGRAM_UNITS are of files alone. */
enum custom_unit {
    CUSTOM_PLAIN,
    CUSTOM_BYTES,
    CUSTOM_NS,
    CUSTOM_MS,
    CUSTOM_EPOCH_MS, /* a moment: milliseconds since 1970 */
    CUSTOM_PERCENT,  /* a fraction of 1 */
    CUSTOM_PROGRAM_UNITS,
    CUSTOM_BITS = CUSTOM_PROGRAM_UNITS,
    CUSTOM_HERTZ,
    CUSTOM_BYTES_PER_S,
    CUSTOM_BITS_PER_S,
    CUSTOM_ADDRESS,
    CUSTOM_EPOCH_NS, /* a moment, as times of events */
    CUSTOM_UNITS,
};

struct custom_field {
    const char *name, *label; /* label "": none */
    uint8_t sort, unit;       /* enum custom_sort, custom_unit */
    bool is_unsigned;         /* of a number of a file: it has 64 bits without a sign */
};

struct custom_type {
    const char *name, *label, *about, *category; /* category: "Acme|Database"; "": none */
    uint32_t number;
    bool has_stack;
    uint64_t threshold_ns; /* what lasts less is no event, where nobody says otherwise */
    uint32_t field_count;
    const struct custom_field *fields;
};

#define CUSTOM_NO_NUMBER INT64_MIN

/** One grows the list at a time; everybody may read what is below `count`. */
struct custom_list {
    const struct custom_type *of[CUSTOM_TYPES];
    _Atomic uint32_t count;
};

/** The value of a field. Of files, CUSTOM_NO_NUMBER and a NaN are none, too. */
union custom_value {
    int64_t number; /* also a boolean */
    double real;
    const char *text; /* modified UTF-8; NULL: none */
    thread_id thread; /* 0: none that is known */
    class_id klass;
};

struct custom_event {
    const struct custom_type *type;
    const union custom_value *values; /* in the order of the fields */
};
