/*
 * method_filter.h - include= and exclude=: which methods, and objects of which classes, are wanted.
 *
 * Patterns stand in a list with colons between: `org.acme.*:java.util.HashMap.put`. `*` stands for
 * any characters. A pattern is held against the class's name (then all its methods are meant) and
 * against CLASS.METHOD. Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Two lists of patterns; those that are excluded are not wanted even if they are included. */
struct method_filter {
    const char *include; /* "" or NULL: all */
    const char *exclude; /* "" or NULL: none */
};

/** Whether the method is wanted. Class names have dots or slashes. Context: any. */
bool method_filter_wants(const struct method_filter *f, const char *class_name, size_t class_len,
                         const char *name, size_t name_len);
/** Whether a method of this class may be wanted, whatever its name. */
bool method_filter_wants_some(const struct method_filter *f, const char *class_name,
                              size_t class_len);
/** Whether the class itself is wanted: all its methods, or its objects. */
bool method_filter_wants_class(const struct method_filter *f, const char *class_name,
                               size_t class_len);
