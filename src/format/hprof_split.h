/*
 * hprof_split.h - where the records of an HPROF stream end, text or binary.
 *
 * Takes the stream piece by piece, keeps no more than the head of the record at hand, and looks at
 * no reference: so it can say which bytes may be left out of a stream without breaking it, and what
 * kinds of records went by. In text a record is a table from its BEGIN line to its END line, or a
 * line and the indented lines behind it (a TRACE, a block of quality counts); the prologue is one.
 * The bytes may come from outside: any input is legal. Layouts: docs/format/hprof-text.md,
 * docs/format/hprof-binary.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HPROF_SPLIT_HEAD = 96 };

enum hprof_split_state {
    HPROF_SPLIT_FIRST,    /* the first line or header: the format is not known yet */
    HPROF_SPLIT_HEADER,   /* binary: id size and time */
    HPROF_SPLIT_TAG,      /* binary: tag, time and length of a record */
    HPROF_SPLIT_BODY,     /* binary */
    HPROF_SPLIT_PROLOGUE, /* text: up to the line of dashes */
    HPROF_SPLIT_LINE,     /* text: the first line of a record */
    HPROF_SPLIT_BLOCK,    /* text: indented lines may follow */
    HPROF_SPLIT_TABLE,    /* text: up to an END line */
};

/** The state of one stream; all zero at first. Fields are for looking only. */
struct hprof_split {
    enum hprof_split_state state;
    char format;      /* 'a' or 'b', 0 not known yet */
    uint8_t tag;      /* binary: of the record at hand */
    uint64_t rest;    /* binary: bytes of the header or body that have not come */
    uint8_t is_over;  /* the record at hand has ended: the next byte begins another */
    uint32_t lines;   /* text: lines of the record at hand that are whole */
    uint32_t used;    /* bytes in head */
    uint32_t in_line; /* text: bytes of the present line, as far as they fit into line */
    int table;        /* text: number of the table at hand */
    /** The record's first bytes: text: its first line, without newline; binary: of its body. */
    char head[HPROF_SPLIT_HEAD];
    char line[40]; /* text: the beginning of the present line; binary: tag, time, length */
};

/**
 * Take bytes up to the next end of a record.
 *
 * Returns how many of them belong to the record at hand, 0 when it turns out to have ended before
 * them; *ret_end says whether it has ended: then the next call begins another one, and tag, lines
 * and head still tell of this one. Context: any.
 */
size_t hprof_split_take(struct hprof_split *s, const unsigned char *bytes, size_t len,
                        bool *ret_end);
