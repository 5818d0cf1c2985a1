/*
 * heapredact.h - writes a heap dump again, with zeros in the place of its values.
 *
 * A dump has the contents of all strings and buffers of a program: passwords, keys, letters of
 * users. The result has the same objects of the same classes and sizes, the same references, roots,
 * threads and stacks, so all that is asked about memory has the same answer. What is zeroed:
 *
 * - the elements of arrays of primitive types, which are the texts of strings, too;
 * - fields of type int or long whose name contains "hash": the hash of a short text can be turned
 *   back into the text by trying all short texts;
 * - texts of UTF8 records to which no record of the file refers: HotSpot writes its whole table of
 *   symbols, which has the string literals of all loaded classes;
 * - bodies of records whose kind the format does not have;
 * - if asked for: all other fields and statics of primitive types, and names.
 *
 * The file is read twice, because a text comes before the records that refer to it. The first
 * reading learns names and classes, the second writes. Memory grows with the classes and names of
 * the file. Layout: docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heapredact/heapredact_request.h"

struct heapinput;
struct heapredact;
struct sink;

/** What was done. */
struct heapredact_counts {
    uint64_t arrays, array_bytes; /* arrays with zeroed elements, and the bytes of these elements */
    uint64_t objects;             /* instances and classes that were checked for such fields */
    uint64_t texts;               /* UTF8 records whose text was zeroed or replaced */
    /* Objects whose class the file does not describe completely: all their bytes are zero, also
     * those of references. */
    uint64_t unknown;
};

/** Why a reading ended early. */
struct heapredact_error {
    int code; /* 0; E_TRUNCATED, E_FORMAT, E_LIMIT, -ENOMEM, -errno of the file, or the error of the
                 sink */
    uint64_t offset;    /* in the unpacked file */
    const char *detail; /* static text that says more; NULL: there is none */
};

/** Errors: NULL: no memory. Owner: heapredact_free(). */
struct heapredact *heapredact_new(const struct heapredact_request *request);
void heapredact_free(struct heapredact *h);

/**
 * Reads the file for the first time. Must be called before heapredact_write() with the same input.
 *
 * Errors:  0; E_TRUNCATED: the file ends early, and heapredact_write() can write what is there;
 *          otherwise another negative code, and nothing should be written.
 */
int heapredact_learn(struct heapredact *h, const struct heapinput *in);
/**
 * Reads the file for the second time, and writes it to `out`.
 *
 * Errors:  0; E_TRUNCATED: what is whole was written; otherwise a negative code.
 */
int heapredact_write(struct heapredact *h, const struct heapinput *in, struct sink *out);

/** Why the last reading ended early. Owner: `h`. */
const struct heapredact_error *heapredact_why(const struct heapredact *h);
/** What heapredact_write() did. Owner: `h`. */
const struct heapredact_counts *heapredact_done(const struct heapredact *h);
