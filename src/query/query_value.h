/*
 * query_value.h - the value of a column, as a table gives it: to SQLite, or to a file of an export.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum query_value_type {
    QUERY_VALUE_NULL,
    QUERY_VALUE_NUMBER,
    QUERY_VALUE_REAL,
    QUERY_VALUE_TEXT,
    QUERY_VALUE_BYTES,
};

/** Zeroed: NULL. */
struct query_value {
    int64_t number;
    double real;
    /* Of a text or bytes. They live until the next row, or as long as the query if `is_kept`; with
     * `drop`, whoever has the value ends with it calls drop(bytes). */
    const char *bytes;
    size_t len;
    void (*drop)(void *bytes);
    enum query_value_type type;
    bool is_kept;
    bool is_lacking; /* there was no memory for the value */
};

static inline void query_value_number(struct query_value *to, int64_t number)
{
    to->type = QUERY_VALUE_NUMBER;
    to->number = number;
}

static inline void query_value_real(struct query_value *to, double real)
{
    to->type = QUERY_VALUE_REAL;
    to->real = real;
}

/** Gives a text that lives until the query is closed. NULL is NULL. */
static inline void query_value_kept(struct query_value *to, const char *text, size_t len)
{
    if (!text)
        return;
    to->type = QUERY_VALUE_TEXT;
    to->bytes = text;
    to->len = len;
    to->is_kept = true;
}

/** Gives a text that the value then owns. */
static inline void query_value_owned(struct query_value *to, char *text, size_t len,
                                     void (*drop)(void *))
{
    to->type = QUERY_VALUE_TEXT;
    to->bytes = text;
    to->len = len;
    to->drop = drop;
}

/** Gives a copy of a text. NULL is NULL. */
static inline void query_value_copied(struct query_value *to, const char *text, size_t len)
{
    char *copy = text ? malloc(len + 1) : NULL;
    if (copy)
        query_value_owned(to, memcpy(copy, text, len), len, free);
    else
        to->is_lacking = text != NULL;
}

/** Ends with the value. */
static inline void query_value_done(struct query_value *v)
{
    if (v->drop)
        v->drop((void *)v->bytes);
    *v = (struct query_value){0};
}
