/*
 * jfr_pretty.h - writes values of events as text for people, in the cells of tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_printer;
struct jfr_value;

/** Writes a value in one line, for a table. A class, a method, a thread and every object with a
 * name is written as its name, a stack as its innermost Java frame. */
void jfr_pretty_cell(struct jfr_printer *o, const struct jfr_value *value);
/** Works like jfr_pretty_cell(), but writes up to `lines` frames of a stack, each in a line; 0:
 * one. */
void jfr_pretty_cell_lines(struct jfr_printer *o, const struct jfr_value *value, uint32_t lines);
