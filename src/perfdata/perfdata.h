/*
 * perfdata.h - a block of HotSpot's performance counters: names, kinds and values.
 *
 * The block has a prologue and a list of entries; all releases from 8 on write version 2.0. The VM
 * changes values at any time and never moves an entry. So a reader copies the block and learns the
 * entries once. It then reads the values in each new copy at the known offsets, until the prologue
 * says that entries were added. Source: HotSpot perfMemory.hpp (PerfDataPrologue, PerfDataEntry),
 * perfData.hpp. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum perfdata_unit {
    PERFDATA_NONE = 1,
    PERFDATA_BYTES,
    PERFDATA_TICKS,
    PERFDATA_EVENTS,
    PERFDATA_STRING,
    PERFDATA_HERTZ,
};

enum perfdata_variability {
    PERFDATA_CONSTANT = 1,
    PERFDATA_MONOTONIC,
    PERFDATA_VARIABLE,
};

struct perfdata_row {
    const char *name; /* in the bytes of its block, or static */
    uint32_t at;      /* offset of its value in the bytes */
    uint32_t len;     /* how many bytes a text may have; 0: the value is a number */
    uint8_t size;     /* size of a number in bytes; 0: the value is the length of the block */
    bool is_supported;
    uint8_t unit, variability; /* numbers of the enums above; other numbers are unknown */
};

struct perfdata {
    unsigned char *bytes; /* the copy, which the struct owns */
    size_t len;
    bool is_big_endian;
    bool is_accessible;        /* false while the VM starts */
    int64_t changed;           /* when entries were last added, in ticks of the VM */
    uint32_t entry_count;      /* the count in the prologue */
    struct perfdata_row *rows; /* ordered by name */
    uint32_t count;
};

/**
 * Replace the copy of a block by a newer one, and learn the entries unless they are the known ones.
 * A damaged block gives the rows in front of the damage.
 *
 * Errors:  0; E_FORMAT: this is not a block of counters; E_UNSUPPORTED: the version is not known;
 *          E_TRUNCATED: the block is damaged, see above; -ENOMEM.
 * Owner:   takes `bytes` (malloc'ed), also after an error; perfdata_done(), also after an error.
 */
int perfdata_take(struct perfdata *p, unsigned char *bytes, size_t len);
void perfdata_done(struct perfdata *p);

/** Find a counter by name; NULL: there is none. */
const struct perfdata_row *perfdata_find(const struct perfdata *p, const char *name);
/** The value of a counter that is a number; 0 if the counter is a text. */
int64_t perfdata_number(const struct perfdata *p, const struct perfdata_row *row);
/** The bytes of a counter that is a text, and in *ret_len their count without the final 0; "" if
 * the counter is a number. Owner: the block. */
const char *perfdata_text(const struct perfdata *p, const struct perfdata_row *row,
                          size_t *ret_len);
/** A word for enum perfdata_unit; "?": the number is unknown. Static. */
const char *perfdata_unit_word(unsigned unit);
/** The value of a counter, found by name. If there is no such counter or it has the other kind, the
 * result is `otherwise`, or NULL for a text. */
int64_t perfdata_number_of(const struct perfdata *p, const char *name, int64_t otherwise);
const char *perfdata_text_of(const struct perfdata *p, const char *name, size_t *ret_len);
