/*
 * scope_record.h - the open scopes of a thread as a record that other profilers read: the thread
 * context of OpenTelemetry (safe/otel_thread.h has its format and the source).
 *
 * While contexts are published, each cell whose thread opens a scope has a record. The variable
 * otel_thread_ctx_v1 of an OS thread points to the record of the cell that the thread has at this
 * moment, so a record follows its virtual thread from carrier to carrier.
 *
 * Java code (Record.java) writes the record through a direct buffer, as it writes the cell. The
 * attributes are a stack: a scope appends its key and its text, and its end makes the record as
 * short as it was before; if a key is there twice, readers take the last one. Readers interrupt the
 * thread, so only the order of its stores matters: the text first, then the size. The two ids have
 * a fixed place; while they change, the record is marked as not valid.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "safe/otel_thread.h"
#include "safe/scope.h"

enum {
    SCOPE_RECORD_ATTRIBUTES = 612, /* with the head 640 bytes, which the specification recommends */
    SCOPE_RECORD_ID = 16,          /* bytes of the longer id */
};

/** Record.java has the same numbers. */
struct scope_record {
    struct otel_thread_head head;
    unsigned char attributes[SCOPE_RECORD_ATTRIBUTES];
    _Atomic uint32_t generation; /* the publication for which it was made; 0: none */
    uint32_t sizes[SCOPE_DEPTH]; /* bytes of attributes before each open scope */
    unsigned char alignment[4];  /* so that ids are aligned */
    unsigned char trace[OTEL_THREAD_TRACE], span[OTEL_THREAD_SPAN]; /* also if one is missing */
    unsigned char ids[SCOPE_DEPTH][SCOPE_RECORD_ID]; /* the id before a scope that changes one */
};

/** What Java reads while a publication runs; Record.java has the same order. */
struct scope_record_state {
    _Atomic uint32_t generation;          /* of the present publication; 0: there is none */
    _Atomic uint32_t trace_key, span_key; /* the number of the key and 1; 0: there is none */
};

extern struct scope_record_state scope_record_state;

/** The variable of one thread. */
typedef _Atomic(struct otel_thread_head *) scope_record_variable;

/** The variable of the calling thread. */
scope_record_variable *scope_record_mine(void);
/** Whether the record is of the present publication. */
bool scope_record_is_current(const struct scope_record *r);
/** Empty the record, which belongs to the calling thread, for the present publication. */
void scope_record_reset(struct scope_record *r);
/**
 * Let the variable of a thread point to `r` if `r` is of the present publication, else to nothing.
 * `variable` and `r` may be NULL. Of another thread only to nothing.
 */
void scope_record_show(scope_record_variable *variable, const struct scope_record *r);
/** Begin a publication: records of before are of no use. */
void scope_record_begin(void);
/** End it; then scope_cell_hide_all(). */
void scope_record_end(void);
