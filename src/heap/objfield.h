/*
 * objfield.h - a field of many objects, which is looked up once for each class.
 *
 * graph_value_of() looks a field up by its name for one object. A question about all objects of a
 * class finds the place of the field once, and then reads only its bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

/** Where the values of an instance have a field. */
struct objfield {
    int32_t offset; /* in the bytes of the values; -1: the class has no such field */
    enum graph_type type;
};

/** The field with this name of the class, or of the nearest superclass that has one. */
struct objfield objfield_find(const struct graph *g, graph_class klass, const char *name);
/** The first field of these names, which are separated by blanks, as JDKs call one thing in several
 * ways. */
struct objfield objfield_find_any(const struct graph *g, graph_class klass, const char *names);
/**
 * The value of a field. Returns false, and a value of 0, if the class has no such field or the file
 * could not be read. The object is an instance of the class for which the field was found.
 */
bool objfield_read(struct graph *g, const struct graph_info *object, struct objfield field,
                   struct graph_value *ret_value);
