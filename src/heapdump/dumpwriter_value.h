/*
 * dumpwriter_value.h - objects of value classes that lie flat in a field or an array.
 *
 * Each flat value becomes an instance with its own id, as in HotSpot's own dumps (heapDumper.cpp,
 * dump_flat_objects). Its record follows that of the object that contains it, and has the same
 * trace. The ids begin after the last id that a place in the heap can have. The ids of the values
 * in one object are consecutive, so no table of ids is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapdump/dumpwriter_class.h"

/**
 * Fill in w->values: the fields of an instance. `object` is where the instance begins, or for a
 * flat value where it would begin if it had a header. Returns the first id of the flat values among
 * the fields.
 */
uint64_t dumpwriter_value_fill(struct dumpwriter *w, const struct dumpwriter_class *c,
                               uint64_t object);
/** Write the records of the instance's flat values, after its own record. Uses w->values. */
void dumpwriter_value_write(struct dumpwriter *w, const struct dumpwriter_class *c, uint64_t object,
                            uint64_t first_id, uint32_t trace);
/** Write an array of flat values, and after it the values. */
void dumpwriter_value_array(struct dumpwriter *w, const struct heap_class *k, uint64_t array,
                            const struct hprof_heap_object *o);

/** How many flat values the marked objects contain. */
uint64_t dumpwriter_value_count(const struct dumpwriter *w);
/** Check that the ids were large enough. Errors: 0; E_LIMIT: there were too many flat values; `why`
 * says so. */
int dumpwriter_value_check_ids(struct dumpwriter *w);
