/*
 * hprof_bin.h - the records of the binary form, and the parts that they have in common.
 *
 * Layouts: docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

/* The beginning of a UTF8 record that names the program. No other record refers to it. */
#define HPROF_BIN_PROGRAM "hprof program: "
/* The beginning of a UTF8 record with those numbers of a site that do not fit into 32 bits. No
 * other record refers to it. */
#define HPROF_BIN_SITE "hprof site: "

struct hprof_out;
struct sink;

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

/** Writes the head of a record into `s`: tag, microseconds since the header's time, which is
 * `created_ms` after 1970, and length of the body. */
void hprof_bin_head_to(struct sink *s, int64_t created_ms, enum hprof_bin_tag tag,
                       uint32_t body_bytes);
/**
 * An id for the object of a class, for a class whose object is unknown. The id is not the address
 * of any object. It is not the number of any object in a heap below 11 GB.
 */
uint64_t hprof_bin_class_object(uint32_t id_bytes, class_id klass);
/** Writes the LOAD CLASS record of a class whose object may be unknown, if the file does not have
 * one yet. */
void hprof_bin_class(struct hprof_out *o, class_id klass);
