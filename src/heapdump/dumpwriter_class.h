/*
 * dumpwriter_class.h - the classes of a dump: their records, and how their instances are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/hprof_heap_copy.h"
#include "heapdump/dumpwriter.h"

/** What a field of an instance holds, if that is a flat value. */
struct dumpwriter_flat {
    const struct heap_class *value; /* its class; NULL it is none */
    bool is_nullable;
};

/** Hangs at heap_class.user. */
struct dumpwriter_class {
    struct hprof_heap_class out;
    const struct dumpwriter_known *known; /* NULL: only the dump knows it */
    bool is_copied;                       /* instances are written as they lie in memory */
    const struct dumpwriter_flat *flats;  /* one for each of out.values; NULL none is flat */
    struct hprof_heap_copy copy;
};

/** Whether the dump has this class, which may be under another id than the file had it before. */
bool dumpwriter_class_has(const struct dumpwriter *w, const struct dumpwriter_known *known);
/** The serial of the trace that an object was made in. */
uint32_t dumpwriter_class_trace(struct dumpwriter *w, uint64_t object);

/**
 * Give every class that is in use its record, and write the names and LOAD CLASS records.
 * Errors: 0, -ENOMEM.
 */
int dumpwriter_class_all(struct dumpwriter *w);
/** The CLASS DUMPs, when ids are settled. */
void dumpwriter_class_dump(struct dumpwriter *w);
