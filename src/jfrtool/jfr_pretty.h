/*
 * jfr_pretty.h - writes events as text for people, as the JDK's `jfr print` does.
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
/** Writes the fields of a contextual event that describe other events, each in a line. */
void jfr_pretty_context(struct jfr_printer *o, const struct jfr_type *type,
                        const struct jfr_record *record);
void jfr_pretty_end(struct jfr_printer *o);
/** Writes a value in one line, for a table. A class, a method, a thread and every object with a
 * name is written as its name, a stack as its innermost Java frame. */
void jfr_pretty_cell(struct jfr_printer *o, const struct jfr_value *value);
/** Works like jfr_pretty_cell(), but writes up to `lines` frames of a stack, each in a line; 0:
 * one. */
void jfr_pretty_cell_lines(struct jfr_printer *o, const struct jfr_value *value, uint32_t lines);
