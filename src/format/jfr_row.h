/*
 * jfr_row.h - which events of JFR files have a place in the model, and how their fields fill it.
 *
 * Where a recording measures one thing twice, one of the two counts: CPU time rather than the
 * samples of running threads, sampled allocations rather than those at the ends of buffers,
 * exceptions rather than the errors among them. A new event is a new row; sums of our own have
 * none (jfr_schema.h). Names are those of the JDK's metadata.xml and of async-profiler.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "profile/event.h"

/** What a number in a field is made into. */
enum jfr_row_unit { JFR_ROW_AS_IS, JFR_ROW_NS };

struct jfr_row {
    const char *event;
    const char *rival; /* where this event is in a chunk, the row's own do not count; NULL: none */
    const char *stack;
    const char *klass;     /* becomes the event's class; NULL: none */
    const char *text;      /* a text, or a class whose name is the text; NULL: none */
    const char *state;     /* of its thread, where the event has no such field */
    const char *values[2]; /* of the first values of the kind; NULL: 1 */
    enum event_kind kind;
    enum jfr_row_unit units[2];
    unsigned skipped; /* so many values of the kind come before these */
    bool is_heap;     /* the heap's level before or after a collection, which has the cause */
    bool has_errors;  /* errors come twice, once from their own constructor */
    bool has_state;   /* of its thread, a field "state" */
    bool has_period;  /* the CPU time that it stands for, a field "samplingPeriod" */
    bool may_be_lock; /* of some classes, whose events are of EVENT_ENTER */
    bool may_be_wall; /* by its chunk or its state, and then of EVENT_WALL (jfr_wall.h) */
    bool is_waiting;  /* perhaps: it counts where its state is asked for, and else not */
};

/** All of them; *ret_count is how many. Context: any. */
const struct jfr_row *jfr_row_all(size_t *ret_count);
/** The row of the event type of this name; NULL: the model has no place for it. Context: any. */
const struct jfr_row *jfr_row_named(const char *event);
