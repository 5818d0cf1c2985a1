/*
 * pprof_tables.h - what the samples of a profile.proto refer to: strings, functions, locations.
 *
 * The tables may stand behind the samples, so they are gathered first. They point into the bytes of
 * the file, which stay where they are; the numbers in them are the file's and may be of nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "format/idmap.h"
#include "format/sample_type.h"
#include "profile/profile.h"
#include "profile/table.h"

struct proto_in_field;
struct rd;

enum { PPROF_COLUMNS_MAX = 64 };

struct pprof_text {
    const char *bytes;
    size_t len;
};

struct pprof_function {
    uint64_t name, system, file; /* strings */
    method_id method;            /* of the profile it was last asked for; 0: not yet */
    uint64_t mapping;            /* the string with which the kind was asked for */
    enum frame_kind kind;
    bool has_kind; /* it was asked for */
};

struct pprof_place {
    uint64_t mapping;          /* its id */
    const unsigned char *line; /* the whole message, in which the lines are */
    size_t len;
};

/** What a value of a sample is. */
struct pprof_column {
    uint64_t type, unit;     /* strings */
    struct sample_type what; /* its type is NULL: the column is passed over */
};

struct pprof_tables {
    struct arena arena;
    struct table strings;   /* struct pprof_text, from row 1 on: number + 1 */
    struct table functions; /* struct pprof_function */
    struct table places;    /* struct pprof_place: locations */
    struct table files;     /* uint64_t: string of the file of each mapping */
    struct idmap function_of, place_of, file_of;
    struct pprof_column columns[PPROF_COLUMNS_MAX];
    size_t column_count;
    uint64_t default_type, period_unit, period; /* unit: a string */
    uint64_t time_ns, duration_ns;              /* since the epoch; 0: unknown */
    uint64_t divisor;                           /* of the values of the only column */
};

void pprof_tables_init(struct pprof_tables *t, size_t budget);
void pprof_tables_done(struct pprof_tables *t);
/** A field of the whole. Errors: 0; -ENOMEM; E_LIMIT: too many columns; what is no message. */
int pprof_tables_take(struct pprof_tables *t, const struct proto_in_field *field);
/** When all fields have been taken: which column is what. */
void pprof_tables_decide(struct pprof_tables *t);
/** Empty where there is no such string. */
struct pprof_text pprof_tables_string(const struct pprof_tables *t, uint64_t number);
bool pprof_tables_is(struct pprof_text text, const char *word);
