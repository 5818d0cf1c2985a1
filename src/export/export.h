/*
 * export.h - writes what inputs hold as tables for other engines.
 *
 * Each input is read once, and one after another, so memory is bounded by the largest one. The
 * tables are those of docs/export.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "export/export_options.h"

/** What was written. */
struct export_result {
    uint64_t rows, files;
    bool is_damaged; /* an input was damaged, which was told */
};

/** The writer with this word: sqlite, parquet; NULL: there is none. */
const struct export_writer *export_writer_named(const char *word);
/**
 * Exports the inputs, files of any format that has events or samples. After an error nothing is
 * left of what was written. Errors: 0; negative after the diag was told: -EINTR, export_stop() was
 * called; -EEXIST, the output is there; others.
 */
int export_run(const struct export_options *options, const char *const *inputs, size_t count,
               struct export_result *ret_result);
