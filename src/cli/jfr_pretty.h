/*
 * jfr_pretty.h - events as text for people, as the JDK's `jfr print` has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_printer;
struct jfr_record;
struct jfr_type;
struct jfr_value;

void jfr_pretty_begin(struct jfr_printer *o);
void jfr_pretty_event(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record);
/** The fields of an event that say something of others, a line each. */
void jfr_pretty_context(struct jfr_printer *o, const struct jfr_type *type,
                        const struct jfr_record *record);
void jfr_pretty_end(struct jfr_printer *o);
/** A value in one line, for a table: of a class, method, thread or whatever has one its name, of a
 * stack its innermost Java frame. */
void jfr_pretty_cell(struct jfr_printer *o, const struct jfr_value *value);
/** The same, of a stack so many frames, a line each; 0: one. */
void jfr_pretty_cell_lines(struct jfr_printer *o, const struct jfr_value *value, uint32_t lines);
