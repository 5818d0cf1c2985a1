/*
 * perfdata.h - a block of HotSpot's performance counters: names, kinds and values.
 *
 * The block is a prologue and a row of entries; all releases from 8 on write version 2.0. The VM
 * changes values at any time and never moves an entry, so a reader copies the block, learns the
 * entries once, and afterwards reads each new copy at the places it knows, until the prologue says
 * that entries have come. Source: HotSpot perfMemory.hpp (PerfDataPrologue, PerfDataEntry),
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
    uint32_t at;      /* where its value lies in them */
    uint32_t len;     /* bytes that a text may have; 0: a number */
    uint8_t size;     /* of a number: its bytes; 0: it is the length of the block */
    bool is_supported;
    uint8_t unit, variability; /* of the enums above; other numbers are unknown ones */
};

struct perfdata {
    unsigned char *bytes; /* the copy; the perfdata's own */
    size_t len;
    bool is_big_endian;
    bool is_accessible;        /* false while the VM starts */
    int64_t changed;           /* when entries came last, in ticks of the VM */
    uint32_t entry_count;      /* as the prologue has it */
    struct perfdata_row *rows; /* by name */
    uint32_t count;
};

/**
 * Takes a copy of a block over, in place of the one before, and learns the entries unless they are
 * those that are known. A block that is damaged gives the rows before the damage.
 *
 * Errors: 0; E_FORMAT no block of counters; E_UNSUPPORTED a version that is not known; E_TRUNCATED
 *         damaged, see above; -ENOMEM. Owner: takes `bytes` (malloc'ed) also on an error;
 *         perfdata_done(), also after an error.
 */
int perfdata_take(struct perfdata *p, unsigned char *bytes, size_t len);
void perfdata_done(struct perfdata *p);

/** NULL: there is no counter of that name. */
const struct perfdata_row *perfdata_find(const struct perfdata *p, const char *name);
/** The value of a number; 0 of a text. */
int64_t perfdata_number(const struct perfdata *p, const struct perfdata_row *row);
/** A text's bytes; *ret_len, without the 0 behind them. Of a number "". Owner: the block's. */
const char *perfdata_text(const struct perfdata *p, const struct perfdata_row *row,
                          size_t *ret_len);
/** The same by name: `otherwise` where there is none, or it is of the other kind. */
int64_t perfdata_number_of(const struct perfdata *p, const char *name, int64_t otherwise);
const char *perfdata_text_of(const struct perfdata *p, const char *name, size_t *ret_len);
