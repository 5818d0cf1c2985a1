/*
 * java_name.h - finds Java methods among the names that other tools write.
 *
 * A Java method is written java/lang/String.length or java.lang.String.length. The other names are
 * functions of C and C++, and libraries.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "profile/ids.h"

struct profile;

/** Whether the text looks like the name of a Java method, CLASS.METHOD. */
bool java_name_is(const char *name, size_t len);
/** The method with the name CLASS.METHOD. Only CLASS may contain dots or slashes. 0: no memory. */
method_id java_name_method(struct profile *p, const char *name, size_t len, string_id descriptor,
                           string_id source);
