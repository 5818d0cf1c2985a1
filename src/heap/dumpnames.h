/*
 * dumpnames.h - the names in a heap dump: strings, loaded classes, frames, traces.
 *
 * Of a string only its place is kept; its text is read when somebody needs it, which is true for
 * few of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/dumpscan.h"
#include "heap/heaproom.h"

struct dumpnames_string {
    uint64_t id, at; /* where its bytes are */
    uint32_t len;
    const char *text; /* NULL: not read yet */
};

struct dumpnames_class {
    uint64_t id, name; /* of the class object, and of its name */
    uint32_t serial;
};

struct dumpnames_frame {
    uint64_t id, method, signature, source;
    uint32_t class_serial;
    int32_t line;
};

struct dumpnames_trace {
    uint64_t at; /* where the ids of its frames are */
    uint32_t serial, thread, count;
};

struct dumpnames {
    struct heaproom *room;
    unsigned id_bytes;
    struct heaproom_list strings, classes, frames, traces;
    uint64_t *by_serial; /* sorted: a class's serial number << 32 | its place in `classes` */
    /* Memory of texts: the pieces, and what is left of the last one. */
    struct heaproom_list pieces;
    char *free;
    uint64_t free_bytes;
};

void dumpnames_init(struct dumpnames *n, struct heaproom *room, unsigned id_bytes);
void dumpnames_done(struct dumpnames *n);
/** Keeps a record if it is one of those. Errors: 0; E_LIMIT: no memory. */
int dumpnames_take(struct dumpnames *n, struct heapwindow *w, const struct dumpscan_record *r);
/** Sorts the tables; to be called once, behind the last dumpnames_take(). Errors: 0; E_LIMIT. */
int dumpnames_seal(struct dumpnames *n);
/** The text of a string; "" if there is none. Valid until dumpnames_done(). */
const char *dumpnames_text(struct dumpnames *n, struct heapwindow *w, uint64_t id);
/** Copies a text into the memory of the names; NULL: no memory. */
char *dumpnames_keep(struct dumpnames *n, const char *text, uint64_t len);
/** The row of a class by its id, or by its serial number; NULL: none. */
const struct dumpnames_class *dumpnames_class(const struct dumpnames *n, uint64_t id);
const struct dumpnames_class *dumpnames_class_by_serial(const struct dumpnames *n, uint32_t serial);
const struct dumpnames_frame *dumpnames_frame(const struct dumpnames *n, uint64_t id);
const struct dumpnames_trace *dumpnames_trace(const struct dumpnames *n, uint32_t serial);
