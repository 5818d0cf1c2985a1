/*
 * export_columns.h - the columns of a table while they are collected, and those that options add.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "export/export_state.h"

struct query;
struct query_names;
struct textbuf;

/** Columns while they are collected. */
struct export_columns {
    struct query *query; /* whose arena has them */
    struct query_names *names;
    struct export_column *of;
    uint32_t count, room;
};

/** Begins with the column `input`, and without names that folders of the output have. Errors: 0;
 * -ENOMEM. */
int export_columns_begin(struct export_columns *c, struct query *q);
/** Adds a column, under its name or the name with a number behind it. Errors: 0; -ENOMEM. */
int export_columns_add(struct export_columns *c, const char *name, enum export_type type);
/** Adds the columns of the labels, and of stacks as texts if they are wanted. Errors: as above. */
int export_columns_add_options(struct export_columns *c, const struct export_options *options);
/** Sets the values of these columns, from values[0] on. `frames` gets the text of the stack; it is
 * valid until it changes. Returns how many values. */
uint32_t export_columns_give_options(const struct export_state *s, int64_t stack,
                                     struct textbuf *frames, struct query_value *values);
/** The service of a program's name; the text lives as long as the query. */
const char *export_columns_service(const struct export_state *s, const char *program);
