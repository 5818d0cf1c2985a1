/*
 * java_name.h - methods by the names that other tools have for them.
 *
 * java/lang/String.length or java.lang.String.length, among names of C, C++ and libraries.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "profile/ids.h"

struct profile;

/** Whether it looks like the name of a Java method, CLASS.METHOD. */
bool java_name_is(const char *name, size_t len);
/** CLASS.METHOD, where only the class has dots or slashes. 0: no memory. */
method_id java_name_method(struct profile *p, const char *name, size_t len, string_id descriptor,
                           string_id source);
