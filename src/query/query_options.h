/*
 * query_options.h - what bounds a query.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct diag;

struct query_options {
    uint64_t memory_bytes; /* of SQLite; again as much for stacks; 0: a quarter of what is left */
    uint64_t timeout_ns;   /* of each statement; 0: none */
    uint64_t rows_max;     /* of each answer; 0: all */
    const char *tmp;       /* folder of temporary files; NULL: as heapspool_folder() says */
    const char *exe;       /* for a core: the java program of its process here; NULL: found */
    const char *sysroot;   /* for a core: below it are the files of its machine; NULL: none */
    struct diag *diag;     /* borrowed; is told about damage */
};
