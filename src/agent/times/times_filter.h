/*
 * times_filter.h - include= and exclude=: which methods cpu=times looks at.
 *
 * A filter is a list of patterns with colons between: `org.acme.*:java.util.HashMap.put`. `*`
 * stands for any characters. A pattern is held against the class's name (then all its methods are
 * meant) and against CLASS.METHOD. Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** Whether one of `patterns` matches the method. Class names have dots or slashes. Context: any. */
int times_filter_has(const char *patterns, const char *class_name, size_t class_len,
                     const char *name, size_t name_len);
/** Whether a method of this class, whatever its name, could match. */
int times_filter_may_have(const char *patterns, const char *class_name, size_t class_len);
/** Whether the class as a whole is matched. */
int times_filter_has_class(const char *patterns, const char *class_name, size_t class_len);
