/*
 * objvalue.h - values of fields and elements in answers.
 *
 * Contents of strings, boxes and primitives are values, which JSON and Markdown have only if the
 * user asks for them (question_asked.with_values). References to objects are no values.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "heap/graph.h"

struct heapanswer;

enum { OBJVALUE_ROOM = 1024 };

/** A value as people read it: "true", "12", "'a'", "java.lang.String @ 0x7f00 \"text\"". Returns
 * `ret`. */
const char *objvalue_text(struct graph *g, const struct graph_value *value, bool with_values,
                          char ret[OBJVALUE_ROOM]);
/** Writes the cell of a value: in JSON an object with the members of objrow.h, null, a number,
 * true or false; "(left out)" if it is a primitive and not `with_values`. */
void objvalue_put_cell(struct heapanswer *a, struct graph *g, const struct graph_value *value,
                       bool with_values);
