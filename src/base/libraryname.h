/*
 * libraryname.h - how a person names a library: "libc" is libc.so.6 and libc-2.31.so.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/**
 * Whether the file at `path` is the library that is asked for: by its path, by the last part of the
 * path, or by that part without its version and what follows ".so". `asked` may have * and ?.
 * Context: any.
 */
bool libraryname_is(const char *asked, size_t asked_len, const char *path);
