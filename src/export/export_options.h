/*
 * export_options.h - what is asked of an export.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct diag;
struct export_writer;

enum { EXPORT_LABELS = 16 };

/** A column with one value in all rows. */
struct export_label {
    const char *name, *value;
};

struct export_options {
    const struct export_writer *writer;
    const char *output;  /* the path of a file or of a folder */
    const char *service; /* the service of all inputs; NULL: the program of each */
    struct export_label labels[EXPORT_LABELS];
    uint32_t label_count;
    bool is_flat;          /* rows with a stack also have its frames as texts */
    bool appends;          /* an existing database gets more rows */
    uint64_t memory_bytes; /* of the input that is read, and again of the writer; 0: a default */
    const char *tmp;       /* folder of temporary files; NULL: as heapspool_folder() says */
    struct diag *diag;     /* borrowed */
};
