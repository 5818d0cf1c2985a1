/*
 * hprof_bin.h - the pieces that the records of the binary form have in common.
 *
 * Layouts: docs/format/hprof-binary.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

/* Begins the string, which no record refers to, that names the program. */
#define HPROF_BIN_PROGRAM "hprof program: "
/* Begins such a string with the numbers of a site that do not fit into 32 bits. */
#define HPROF_BIN_SITE "hprof site: "

struct hprof_out;
struct sink;

/** Bit N: there are records for tables of kind N. */
enum { HPROF_BIN_KINDS = 1 << KIND_SAMPLE | 1 << KIND_SITE };

/** The tags of records. */
enum hprof_bin_tag {
    HPROF_BIN_UTF8 = 0x01,
    HPROF_BIN_LOAD_CLASS = 0x02,
    HPROF_BIN_UNLOAD_CLASS = 0x03,
    HPROF_BIN_FRAME = 0x04,
    HPROF_BIN_TRACE = 0x05,
    HPROF_BIN_ALLOC_SITES = 0x06,
    HPROF_BIN_HEAP_SUMMARY = 0x07,
    HPROF_BIN_START_THREAD = 0x0a,
    HPROF_BIN_END_THREAD = 0x0b,
    HPROF_BIN_HEAP_DUMP = 0x0c,
    HPROF_BIN_CPU_SAMPLES = 0x0d,
    HPROF_BIN_CONTROL_SETTINGS = 0x0e,
    HPROF_BIN_HEAP_SEGMENT = 0x1c,
    HPROF_BIN_HEAP_DUMP_END = 0x2c,
};

/** The head of a record: tag, microseconds since the header's time, length of the body. */
void hprof_bin_head(struct hprof_out *o, enum hprof_bin_tag tag, uint32_t body_bytes);
/** The same, into `s`; the header's time is `created_ms` after 1970. */
void hprof_bin_head_to(struct sink *s, int64_t created_ms, enum hprof_bin_tag tag,
                       uint32_t body_bytes);
/** A string that no record refers to, for readers that know its beginning. */
void hprof_bin_note(struct hprof_out *o, const char *text, size_t len);
/** An identifier, of as many bytes as the file has. */
void hprof_bin_id(struct hprof_out *o, uint64_t id);
/**
 * The id of a class object that nobody has given one: no address of an object, and no number of one
 * in a heap below 11 GB.
 */
uint64_t hprof_bin_class_object(uint32_t id_bytes, class_id klass);
/** The LOAD CLASS record of a class that has none yet. */
void hprof_bin_class(struct hprof_out *o, class_id klass);
