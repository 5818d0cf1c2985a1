/*
 * pprof_tables.h - the tables to which the samples of a profile.proto refer: strings, functions,
 * locations.
 *
 * The tables may stand behind the samples, so they are gathered before samples are read. The rows
 * point into the bytes of the file, which must stay where they are. The numbers in the rows come
 * from the file, and there may be no row with such a number.
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

enum { PPROF_COLUMNS_MAX = 96 };

struct pprof_text {
    const char *bytes;
    size_t len;
};

struct pprof_function {
    uint64_t name, system, file; /* numbers of strings */
    method_id method;            /* its row in the present profile; 0: not made yet */
    uint64_t mapping;            /* the string for which `kind` was found */
    enum frame_kind kind;
    bool has_kind; /* `kind` was found */
};

struct pprof_place {
    uint64_t mapping;          /* id of the mapping */
    const unsigned char *line; /* the whole message, which contains the lines */
    size_t len;
};

/** The meaning of one value of each sample. */
struct pprof_column {
    uint64_t type, unit;     /* numbers of strings */
    struct sample_type what; /* its type is NULL: the column is ignored */
};

struct pprof_tables {
    struct arena arena;
    struct table strings;   /* struct pprof_text; string N is row N + 1 */
    struct table functions; /* struct pprof_function */
    struct table places;    /* struct pprof_place: the locations */
    struct table files;     /* uint64_t: number of the string that is the file of each mapping */
    struct idmap function_of, place_of, file_of;
    struct pprof_column columns[PPROF_COLUMNS_MAX];
    size_t column_count;
    uint64_t default_type, period_unit, period; /* `period_unit`: number of a string */
    uint64_t time_ns, duration_ns;              /* `time_ns` is since the epoch; 0: unknown */
    uint64_t divisor;                           /* of the values, if only one column is read */
};

void pprof_tables_init(struct pprof_tables *t, size_t budget);
void pprof_tables_done(struct pprof_tables *t);
/** Reads a field of the whole file. Errors: 0; -ENOMEM; E_LIMIT: too many columns; another code:
 * the field is no message. */
int pprof_tables_take(struct pprof_tables *t, const struct proto_in_field *field);
/** Decides what each column means. Call it when all fields have been read. */
void pprof_tables_decide(struct pprof_tables *t);
/** The string with this number; an empty one if there is none. */
struct pprof_text pprof_tables_string(const struct pprof_tables *t, uint64_t number);
bool pprof_tables_is(struct pprof_text text, const char *word);
