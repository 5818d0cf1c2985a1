/*
 * jfrlib_input.h - the bytes of a regular file, read piece by piece within a budget.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "base/feed.h"

struct jfr_budget;

struct jfrlib_input {
    struct feed feed;
    int fd; /* -1: none */
    uint64_t at, size;
    struct jfr_budget *budget; /* borrowed */
};

/** Opens a file. `in` must not move after that. Errors: 0; -errno; -EINVAL: it is no regular file.
 * Owner: jfrlib_input_close(). */
int jfrlib_input_open(struct jfrlib_input *in, const char *path, struct jfr_budget *budget);
/** Reads bytes that lie in memory. They stay the caller's. */
void jfrlib_input_memory(struct jfrlib_input *in, const void *bytes, size_t len);
void jfrlib_input_close(struct jfrlib_input *in);
