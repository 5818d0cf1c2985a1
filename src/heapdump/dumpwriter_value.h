/*
 * dumpwriter_value.h - objects of value classes that lie flat in a field or an array.
 *
 * Each becomes an instance with an id of its own, as in HotSpot's own dumps (heapDumper.cpp,
 * dump_flat_objects): behind the record of what holds it, with the trace of that. Ids go on where
 * those of the heap's places end. Those of one holder follow each other, so that nothing is kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapdump/dumpwriter_class.h"

/**
 * Fill in w->values: the fields of an instance that would begin at `object` if it had a header.
 * Returns the first id of the flat values among them.
 */
uint64_t dumpwriter_value_fill(struct dumpwriter *w, const struct dumpwriter_class *c,
                               uint64_t object);
/** The records of its flat values, behind its own. Uses w->values. */
void dumpwriter_value_write(struct dumpwriter *w, const struct dumpwriter_class *c, uint64_t object,
                            uint64_t first_id, uint32_t trace);
/** An array of flat values, and then these. */
void dumpwriter_value_array(struct dumpwriter *w, const struct heap_class *k, uint64_t array,
                            const struct hprof_heap_object *o);

/** How many flat values the marked objects hold. */
uint64_t dumpwriter_value_count(const struct dumpwriter *w);
/** 0, or E_LIMIT with `why`: they got more ids than there are. */
int dumpwriter_value_check_ids(struct dumpwriter *w);
