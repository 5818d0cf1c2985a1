/*
 * jfr_pass.h - one pass over the events of a JFR file; the events of a chunk come in the order of
 * their ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "jfr/jfr_filter.h"

struct jfr_chunk;
struct jfr_printer;
struct jfr_record;
struct jfr_type;

struct jfr_pass {
    const char *path;
    struct jfr_filter filter;
    struct jfr_printer *out; /* gets each chunk */
    bool is_quiet;           /* do not report damage: another pass reports it */
    void *context;           /* passed to these functions, each of which may be NULL */
    void (*begin)(void *context, const struct jfr_chunk *chunk);
    int (*event)(void *context, const struct jfr_type *type, const struct jfr_record *record);
    void (*end)(void *context); /* the chunk is still open */
};

/** Returns 0; E_TRUNCATED if the file is incomplete; a negative number that `event` returned; other
 * errors. All errors were reported. */
int jfr_pass_run(const struct jfr_pass *pass);
