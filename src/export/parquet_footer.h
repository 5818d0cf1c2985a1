/*
 * parquet_footer.h - the footer of a Parquet file: its columns and row groups.
 *
 * Source: github.com/apache/parquet-format, parquet.thrift (FileMetaData).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "export/export_table.h"
#include "export/parquet_column.h"

#define PARQUET_MAGIC "PAR1"
enum { PARQUET_MAGIC_BYTES = 4 };

struct parquet_group {
    uint32_t rows;
    struct parquet_chunk *chunks; /* one for each column */
};

struct parquet_footer {
    const struct export_column *columns;
    uint32_t column_count, group_count;
    const struct parquet_group *groups;
    bool is_packed; /* pages are packed by zstd */
};

/** Appends the footer with its length and the closing magic. Failures stay in `out`. */
void parquet_footer_put(const struct parquet_footer *f, struct textbuf *out);
