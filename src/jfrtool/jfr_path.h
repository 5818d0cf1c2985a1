/*
 * jfr_path.h - finds what a column of a view names: a field of an event, or a value made of fields.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_printer;
struct jfr_type;
struct jfr_value;

/**
 * Finds the value of the first path in `paths` that the event has; '|' separates the paths. A path
 * is one of:
 * - a field, or a field of a field after a dot: "thrownClass.name";
 * - "event": the name of the event's type;
 * - "id" of a setting: the name of the type that is set;
 * - "stackTrace@app": the method of the innermost frame whose class is not of the VM's own loader;
 * - "stackTrace@noinit": the method of the innermost frame that is not a constructor;
 * - ".FIELD" after one of the last two: a field of that method.
 * Returns false if the event has none of them; then *ret_value is null.
 */
bool jfr_path_find(const struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, const char *paths, struct jfr_value *ret_value);
bool jfr_path_is_thread(const struct jfr_value *value);
/** Whether a thread has a name. True for every platform thread; many virtual threads have none. */
bool jfr_path_has_name(const struct jfr_printer *o, const struct jfr_value *thread);
/** A number that differs for all threads of one JVM. */
uint64_t jfr_path_thread_id(const struct jfr_printer *o, const struct jfr_value *thread);
/** The end of the event, in nanoseconds since the epoch. */
int64_t jfr_path_end_ns(const struct jfr_printer *o, const struct jfr_value *event);
