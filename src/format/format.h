/*
 * format.h - the registry of file formats.
 *
 * Each format is one file format_NAME.c that exports one `const struct format`; the list in
 * meson.build is the whole registry, and the table format_all[] is made from it. A format has a
 * reader, a writer, or both.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/reader.h"
#include "format/writer.h"

struct format {
    const char *name;            /* as users write it: hprof-text */
    const char *help;            /* one line */
    const char *suffixes;        /* separated by blanks: ".txt .hprof.txt" */
    const struct reader *reader; /* NULL: the command only writes files of the format */
    const struct writer *writer; /* NULL: the command only reads files of the format */
};

/** Read a whole file that lies in memory. Errors: 0, or negative with *ret_error filled. */
int format_read(const struct format *format, const void *bytes, size_t len, struct profile *profile,
                struct reader_error *ret_error);
/** All formats, in the order of the list in meson.build; NULL at the end. */
extern const struct format *const format_all[];
const struct format *format_named(const char *name);
/** The format that can be written and whose suffix is the longest one that the file name ends with;
 * NULL: none. */
const struct format *format_for_file(const char *path);
/** The format that fits the bytes best; NULL: none fits. */
const struct format *format_probe(const unsigned char *bytes, size_t len);
