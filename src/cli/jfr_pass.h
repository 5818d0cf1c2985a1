/*
 * jfr_pass.h - one pass over the events of a JFR file, those of a chunk in the order of their ends.
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
    struct jfr_printer *out; /* is told of each chunk */
    bool is_quiet;           /* of what is damaged: another pass says it */
    void *context;           /* is handed to these, any of which may be NULL */
    void (*begin)(void *context, const struct jfr_chunk *chunk);
    int (*event)(void *context, const struct jfr_type *type, const struct jfr_record *record);
    void (*end)(void *context); /* the chunk is still open */
};

/** Returns 0; E_TRUNCATED where not all of it is whole; what `event` returned, if it is negative;
 * other errors. All have been said. */
int jfr_pass_run(const struct jfr_pass *pass);
