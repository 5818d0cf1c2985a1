/*
 * properties.h - reads the text form of java.util.Properties.
 *
 * Source: java.util.Properties, load(Reader): ISO-8859-1, backslash escapes, \uXXXX.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct properties {
    struct properties_row {
        char *name, *value; /* UTF-8, malloc'ed */
    } * rows;               /* sorted by name */
    size_t count;
};

/** Reads and sorts all properties. Errors: 0, -ENOMEM. Owner: properties_done(), also after an
 * error. */
int properties_read(struct properties *p, const char *text, size_t len);
/** Adds a copy of one property. The caller calls properties_sort() after the last. Errors: 0,
 * -ENOMEM. */
int properties_add(struct properties *p, const char *name, const char *value);
void properties_sort(struct properties *p);
/** The value of a property; NULL: there is no property of that name. */
const char *properties_find(const struct properties *p, const char *name);
void properties_done(struct properties *p);
