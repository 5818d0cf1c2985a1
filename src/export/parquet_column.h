/*
 * parquet_column.h - the values of one column of a row group, and their pages in a Parquet file.
 *
 * The subset that is written: optional columns of INT64, DOUBLE and UTF-8 texts; one data page of
 * version 1 in a column chunk; numbers plain, texts by a dictionary; definition levels and numbers
 * of the dictionary in the hybrid of runs and packed bits; pages packed by zstd, if the program was
 * built with it. Source: github.com/apache/parquet-format, README.md, Encodings.md, parquet.thrift.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"
#include "export/export_table.h"
#include "profile/lookup.h"

struct zpack;

/** Zeroed but for `type`: no values. */
struct parquet_column {
    enum export_type type;
    uint32_t rows, nulls;
    struct textbuf present; /* a bit for each row, the lowest first: it has a value */
    struct textbuf values;  /* numbers of 8 bytes; of texts the number in the dictionary, 4 bytes */
    struct textbuf words;   /* the dictionary: each text with its length in front of it */
    uint32_t word_count;
    uint32_t *slots; /* of the dictionary by hash: number + 1; 0: free */
    uint32_t *ends;  /* by number: where its text ends in `words` */
    uint32_t slot_count, end_room;
    int64_t least, most; /* of the numbers; valid if there is one */
};

/** What the footer says of a chunk. Offsets are those in the file. */
struct parquet_chunk {
    uint64_t dictionary_at, data_at; /* dictionary_at 0: there is none */
    uint64_t packed_bytes, plain_bytes;
    int64_t least, most;
    uint32_t nulls;
    bool has_range, has_dictionary;
};

/** Adds the value of the next row; a value of another type is converted. Returns how many bytes
 * more are kept, about. Failures are kept in the buffers: parquet_column_is_bad(). */
size_t parquet_column_add(struct parquet_column *c, const struct lookup_key *key,
                          const struct query_value *v);
/** Makes the pages at the end of `out`, which begins at `base` in the file. Errors: 0; -ENOMEM. */
int parquet_column_put(const struct parquet_column *c, struct zpack *pack, uint64_t base,
                       struct textbuf *out, struct parquet_chunk *ret_chunk);
bool parquet_column_is_bad(const struct parquet_column *c);
/** Frees the values; the column can take others. */
void parquet_column_clear(struct parquet_column *c);
