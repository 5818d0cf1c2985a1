/*
 * query_shape.h - how a field of an event is shown in SQL.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_field;

enum query_shape {
    QUERY_SHAPE_NUMBER,
    QUERY_SHAPE_REAL,
    QUERY_SHAPE_TEXT,
    QUERY_SHAPE_STACK,
    QUERY_SHAPE_THREAD,
    QUERY_SHAPE_THREAD_ID,
    QUERY_SHAPE_CLASS,
    QUERY_SHAPE_METHOD,
    QUERY_SHAPE_SIGNATURE, /* a method with the types of its parameters */
    QUERY_SHAPE_LOADER,
    QUERY_SHAPE_NAMED, /* a structure with a name, which stands for it */
    QUERY_SHAPE_LIST,  /* an array: its elements in one text */
    QUERY_SHAPE_PARTS, /* a structure that is shown by its fields */
    QUERY_SHAPE_NONE,  /* cannot be read */
};

/** How the field is shown. */
enum query_shape query_shape_of(const struct jfr_field *field);
/** The type of SQL. */
const char *query_shape_type(enum query_shape shape);
/** Whether the constants of the chunk are needed for the value. */
bool query_shape_needs_constants(const struct jfr_field *field);
