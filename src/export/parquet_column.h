/*
 * parquet_column.h - the values of one column of a row group, and their pages in a Parquet file.
 *
 * The subset that is written: optional columns of INT64, DOUBLE and UTF-8 texts; one data page of
 * version 1 in a column chunk; texts by a dictionary; whole numbers by a dictionary if their range
 * is narrow, otherwise plain; pages packed by zstd, if the program was built with it.
 *
 * Most columns of most events have one value in all rows, and cost no memory then: rows are kept
 * one by one only from the first value on that differs from the ones before.
 * Source: github.com/apache/parquet-format, README.md, Encodings.md, parquet.thrift.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"
#include "export/export_table.h"
#include "profile/lookup.h"

struct parquet_kept;
struct zpack;

/** What the texts of all columns share. */
struct parquet_texts {
    struct lookup_key key;
    /* Counts up when an input ends: only until then does a kept text (query_value.h) stay at its
     * address, by which it is found without a look at its bytes. */
    uint32_t input;
};

/** Zeroed but for `type`: no values. */
struct parquet_column {
    enum export_type type;
    uint32_t rows, nulls;
    /* A bit for each row, the lowest first: it has a value. Empty if all rows have one, or none. */
    struct textbuf present;
    /* Numbers of 8 bytes; of texts the number in the dictionary, 4 bytes. Little endian. Empty if
     * all whole numbers, or all texts, are equal. */
    struct textbuf values;
    struct textbuf words; /* the dictionary: each text with its length in front of it */
    uint32_t word_count;
    uint32_t *slots; /* of the dictionary by hash: number + 1; 0: free */
    uint32_t *ends;  /* by number: where its text ends in `words` */
    uint32_t slot_count, end_room;
    struct parquet_kept *kept; /* texts that were added, by address; NULL: none */
    uint32_t kept_input;       /* parquet_texts.input for which they are right */
    int64_t least, most;       /* of the numbers; valid if there is one */
};

/** What the footer says of a chunk. Offsets are those in the file. */
struct parquet_chunk {
    uint64_t dictionary_at, data_at; /* dictionary_at 0: there is none */
    uint64_t packed_bytes, plain_bytes;
    int64_t least, most;
    uint32_t nulls;
    bool has_range, has_dictionary;
};

/** Adds a row: a value to each of the columns; a value of another type is converted. Returns how
 * many bytes more are kept, about. Failures are kept in the buffers: parquet_column_is_bad(). */
size_t parquet_column_add_row(struct parquet_column *columns, uint32_t count,
                              const struct parquet_texts *texts, const struct query_value *values);
/** Makes the pages at the end of `out`, which begins at `base` in the file. Errors: 0; -ENOMEM. */
int parquet_column_put(const struct parquet_column *c, struct zpack *pack, uint64_t base,
                       struct textbuf *out, struct parquet_chunk *ret_chunk);
bool parquet_column_is_bad(const struct parquet_column *c);
/** Frees the values; the column can take others. */
void parquet_column_clear(struct parquet_column *c);
