/*
 * dumpwriter_class.h - the classes of a dump: their records, and how their instances are written.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/hprof_heap_copy.h"
#include "heapdump/dumpwriter.h"

/** The flat value in a field of an instance. */
struct dumpwriter_flat {
    const struct heap_class *value; /* its class; NULL: the field is not flat */
    bool is_nullable;
};

/** The dump's data of a class; heap_class.user points to it. */
struct dumpwriter_class {
    struct hprof_heap_class out;
    const struct dumpwriter_known *known; /* NULL: only the dump has the class */
    bool is_kept, is_of_jdk;              /* format/hprof_redact.h */
    bool is_copied;                       /* instances are copied as they lie in memory */
    const struct dumpwriter_flat *flats;  /* one for each of out.values; NULL: none is flat */
    struct hprof_heap_copy copy;
};

/** Whether the dump contains this class. Its id in the dump may differ from the id that the file
 * had given it earlier. */
bool dumpwriter_class_has(const struct dumpwriter *w, const struct dumpwriter_known *known);
/** The serial of the trace in which an object was allocated. */
uint32_t dumpwriter_class_trace(struct dumpwriter *w, uint64_t object);

/**
 * Create the record of every class that is in use, and write the names and the LOAD CLASS records.
 * Errors: 0, -ENOMEM.
 */
int dumpwriter_class_all(struct dumpwriter *w);
/** Write the CLASS DUMP records, after all ids are known. */
void dumpwriter_class_dump(struct dumpwriter *w);
