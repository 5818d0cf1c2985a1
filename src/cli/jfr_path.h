/*
 * jfr_path.h - what the columns of views name: fields of events, and what is made of them.
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
 * The first of these paths that the event has, '|' between them: fields, and fields of those behind
 * dots; "event", the name of its type; "id" of a setting, the name of the type that is set;
 * "stackTrace@app", the method of the innermost frame that is not of the VM's own class loader,
 * "@noinit", of one that is no constructor, and ".FIELD" behind it one of its fields. Returns false
 * where the event has none; *ret_value is null then.
 */
bool jfr_path_find(const struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_value *event, const char *paths, struct jfr_value *ret_value);
bool jfr_path_is_thread(const struct jfr_value *value);
/** Whether a thread has a name, or is a platform thread: virtual ones are often without. */
bool jfr_path_has_name(const struct jfr_printer *o, const struct jfr_value *thread);
/** A number that parts a thread of a JVM from its others. */
uint64_t jfr_path_thread_id(const struct jfr_printer *o, const struct jfr_value *thread);
/** When the event ended, in ns since the epoch. */
int64_t jfr_path_end_ns(const struct jfr_printer *o, const struct jfr_value *event);
