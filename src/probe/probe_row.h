/*
 * probe_row.h - what is said of a hit, or of a begin with its end: fields with names, and frames;
 * written as a line of text or of JSON.
 *
 * The fields of a pair are those of its begin, and behind them those of its end. A field of the
 * end that has the name of one of the begin is called end_NAME; one that is the same in both is
 * left out.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "probe/probe_hit.h"

enum { PROBE_ROW_FIELDS = 2 * PROBE_HIT_FIELDS, PROBE_ROW_NAME = PROBE_KNOWN_WORD + 8 };

struct probe_frames;
struct sink;

struct probe_row {
    const struct probe_hit_form *form; /* of the hit or the begin */
    const struct probe_hit_form *end;  /* of the end; NULL: a hit alone */
    const char *pair;                  /* the name of the pair */
    bool has_duration;                 /* of a pair, and of what took time by itself */
    uint64_t time_ns, duration_ns;
    pid_t pid, tid;
    unsigned count;
    struct probe_row_field {
        char name[PROBE_ROW_NAME];
        const struct probe_hit_value *value;
        const struct probe_hit_value *before; /* end_NAME: the value of NAME at the begin */
    } fields[PROBE_ROW_FIELDS];
    const struct probe_frames *frames; /* NULL: none */
};

/** Add the fields of the form; `values` are borrowed, and may be NULL. */
void probe_row_add(struct probe_row *row, const struct probe_hit_form *form,
                   const struct probe_hit_value *values);
/** Add the fields of an end, apart from the first `same`. */
void probe_row_add_end(struct probe_row *row, const struct probe_hit_form *form,
                       const struct probe_hit_value *values, unsigned same);
/** The field of this name; NULL: there is none. */
const struct probe_row_field *probe_row_field(const struct probe_row *row, const char *name);
/** Write "PROVIDER:NAME". */
void probe_row_put_name(struct sink *out, const struct probe_hit_form *form, bool is_json);
/** Whether two values are the same. */
bool probe_row_is_value(const struct probe_hit_value *a, const struct probe_hit_value *b);
/** Write a line. Its time counts from `from_ns`; that of JSON is CLOCK_MONOTONIC. A line of text
 * leaves out what an end says again. */
void probe_row_put(struct sink *out, const struct probe_row *row, uint64_t from_ns, bool is_json);
