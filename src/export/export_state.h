/*
 * export_state.h - what the files of this folder share while one input is exported.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "export/export_options.h"
#include "export/export_table.h"

struct query;

struct export_state {
    const struct export_options *options;
    struct export_out *out;
    struct query *query; /* of the one input */
    int64_t input;       /* its number in the output */
    struct export_place place;
    int64_t pid, start_ms; /* of its JVM; 0: unknown */
    uint64_t rows;         /* of all inputs */
};
