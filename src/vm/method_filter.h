/*
 * method_filter.h - include= and exclude=: which methods, and objects of which classes, are wanted.
 *
 * A list has patterns with colons between them: `org.acme.*:java.util.HashMap.put`. `*` stands for
 * any characters. A pattern that matches the name of a class means all methods of the class;
 * otherwise the pattern is compared with CLASS.METHOD. This file does not know a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Two lists of patterns. A name that is in both lists is not wanted. */
struct method_filter {
    const char *include; /* "" or NULL: all */
    const char *exclude; /* "" or NULL: none */
};

/** Whether the method is wanted. Class names may have dots or slashes. Context: any. */
bool method_filter_wants(const struct method_filter *f, const char *class_name, size_t class_len,
                         const char *name, size_t name_len);
/** Whether some method of this class may be wanted. */
bool method_filter_wants_some(const struct method_filter *f, const char *class_name,
                              size_t class_len);
/** Whether all methods of the class, or its objects, are wanted. */
bool method_filter_wants_class(const struct method_filter *f, const char *class_name,
                               size_t class_len);
