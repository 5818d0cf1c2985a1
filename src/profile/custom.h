/*
 * custom.h - events with their own fields: types of such events, and one event.
 *
 * An event whose kind is for types that programs define (KIND_JFR_OF_APPLICATION) carries the
 * values of its type's fields. In the agent, an application has defined the type; in a reader, the
 * file has. A type is made once, does not change, and is never freed. Its number counts from 0 and
 * is its index in a list that only grows.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

/* Limits for types that an application defines. */
enum {
    CUSTOM_TYPES = 64,
    CUSTOM_FIELDS = 16,
};

/** The type of a value. The order is that of HprofEventType in hprof.jar. */
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

/** The meaning of a number; the order is again that of hprof.jar. The units from
 * CUSTOM_PROGRAM_UNITS on occur only in files. */
enum custom_unit {
    CUSTOM_PLAIN,
    CUSTOM_BYTES,
    CUSTOM_NS,
    CUSTOM_MS,
    CUSTOM_EPOCH_MS, /* a moment in milliseconds since 1970 */
    CUSTOM_PERCENT,  /* a fraction: 0.5 is 50 per cent */
    CUSTOM_PROGRAM_UNITS,
    CUSTOM_BITS = CUSTOM_PROGRAM_UNITS,
    CUSTOM_HERTZ,
    CUSTOM_BYTES_PER_S,
    CUSTOM_BITS_PER_S,
    CUSTOM_ADDRESS,
    CUSTOM_EPOCH_NS, /* a moment, like event.time_ns */
    CUSTOM_UNITS,
};

struct custom_field {
    const char *name, *label; /* label "": none */
    uint8_t sort, unit;       /* enum custom_sort, custom_unit */
    bool is_unsigned;         /* only in files: a number of 64 bits without a sign */
};

struct custom_type {
    const char *name, *label, *about, *category; /* category: "Acme|Database"; "": none */
    uint32_t number;
    bool has_stack;
    /* default threshold: something shorter is no event */
    uint64_t threshold_ns;
    uint32_t field_count;
    const struct custom_field *fields;
};

#define CUSTOM_NO_NUMBER INT64_MIN

/**
 * Only one thread may add to the list at a time; every thread may read the entries below `count`.
 */
struct custom_list {
    const struct custom_type *of[CUSTOM_TYPES];
    _Atomic uint32_t count;
};

/** The value of a field. In files, CUSTOM_NO_NUMBER and a NaN also mean that there is no value. */
union custom_value {
    int64_t number; /* also for a boolean */
    double real;
    const char *text; /* modified UTF-8; NULL: none */
    thread_id thread; /* 0: no known thread */
    class_id klass;
};

struct custom_event {
    const struct custom_type *type;
    const union custom_value *values; /* in the order of the fields */
};
