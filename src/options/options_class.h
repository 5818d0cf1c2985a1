/* options_class.h - names of classes as users write them. SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Turns java.lang.String, in the first `len` bytes, into java/lang/String, in place. Returns false
 * if the name cannot be that of a class. */
bool options_class_read(char *name, size_t len);
