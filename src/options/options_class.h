/* options_class.h - names of classes as users write them. SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Makes java.lang.String, in the first `len` bytes, java/lang/String in place. Returns false where
 * it can be no class. */
bool options_class_read(char *name, size_t len);
