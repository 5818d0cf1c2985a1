/*
 * hprof_split.h - finds where the records of an HPROF stream end, text or binary.
 *
 * It takes the stream piece by piece, keeps only the head of the present record, and does not look
 * at references. So a caller can leave whole records out of a stream without breaking it, and can
 * say which kinds of records passed. In text a record is a table from its BEGIN line to its END
 * line, or a line with the indented lines behind it (a TRACE, a block of quality counts). The
 * prologue is one record, too.
 *
 * The bytes may come from outside, so any input is legal. Layouts: docs/format/hprof-text.md,
 * docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HPROF_SPLIT_HEAD = 96 };

enum hprof_split_state {
    HPROF_SPLIT_FIRST,    /* the first line or header: the format is unknown yet */
    HPROF_SPLIT_HEADER,   /* binary: id size and time */
    HPROF_SPLIT_TAG,      /* binary: tag, time and length of a record */
    HPROF_SPLIT_BODY,     /* binary */
    HPROF_SPLIT_PROLOGUE, /* text: up to the line of dashes */
    HPROF_SPLIT_LINE,     /* text: the first line of a record */
    HPROF_SPLIT_BLOCK,    /* text: indented lines may follow */
    HPROF_SPLIT_TABLE,    /* text: up to an END line */
};

/** The state of one stream; all zero at the beginning. Callers may only read the fields. */
struct hprof_split {
    enum hprof_split_state state;
    char format; /* 'a' text, 'b' binary, 0 unknown yet */
    uint8_t tag; /* binary: tag of the present record */
    /* Binary: how many bytes of the header or body have not come yet. */
    uint64_t rest;
    /* The present record has ended: the next byte begins another one. */
    uint8_t is_over;
    uint32_t lines;   /* text: complete lines of the present record */
    uint32_t used;    /* bytes in `head` */
    uint32_t in_line; /* bytes in `line` */
    int table;        /* text: number of the present table */
    /** The record's beginning. In text: its first line, without the newline; in binary: of its
     * body. */
    char head[HPROF_SPLIT_HEAD];
    char line[40]; /* text: beginning of the present line; binary: tag, time, length */
};

/**
 * Take bytes up to the next end of a record.
 *
 * Returns how many bytes belong to the present record. Returns 0 if the record turns out to have
 * ended before the bytes. *ret_end says whether the record has ended. If so, the next call begins
 * another record; until then tag, lines and head still describe this one. Context: any.
 */
size_t hprof_split_take(struct hprof_split *s, const unsigned char *bytes, size_t len,
                        bool *ret_end);
