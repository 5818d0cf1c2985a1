/*
 * jfrlib.h - what a handle of libhprofjfr is, for the files of this folder.
 *
 * Opaque types of the interface are the reader's own: struct hprof_jfr_type is struct jfr_type, and
 * struct hprof_jfr_field is struct jfr_field; jfrlib_types.h converts.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <hprof_jfr.h>
#include "jfr/jfr_budget.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_value.h"
#include "jfrlib/jfrlib_input.h"
#include "jfrlib/jfrlib_live.h"
#include "jfrlib/jfrlib_text.h"

/** The present event. */
struct hprof_jfr_event {
    struct hprof_jfr *of;
    const struct jfr_type *type;
    struct jfr_record record;
    struct jfr_value value; /* the event as a structure */
};

/** What is known of the types of the present chunk. */
struct jfrlib_types {
    uint32_t *events; /* jfr_type.number of the types of events */
    uint32_t count;
    bool *wanted; /* by jfr_type.number: the options want its events */
};

/** The damage of `file` that was counted already. */
struct jfrlib_seen {
    uint32_t places;
    uint64_t bytes;
};

struct hprof_jfr {
    struct jfr_budget budget;
    struct hprof_jfr_error error; /* of the last call that moved on */
    bool is_salvage, only_new;
    bool is_failed; /* `error` ended the reading */
    bool is_ended;
    bool has_chunk;
    char *wanted; /* patterns with commas between them; NULL: all events */
    struct jfrlib_input input;
    struct jfrlib_live *live; /* NULL: a file or memory */
    struct jfr_file file;
    struct jfrlib_types types;
    struct jfrlib_text text;
    struct jfrlib_seen seen;
    struct hprof_jfr_lost lost;
    struct hprof_jfr_event event;
    uint64_t serial; /* counts the calls that make values stale */
};
