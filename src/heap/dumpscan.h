/*
 * dumpscan.h - walks the records of a heap dump, front to back, through a window.
 *
 * A file of HPROF is a head and records; some of them are heap dumps or their segments, which hold
 * the objects. dumpscan_next_record() walks the records, dumpscan_next() the objects within those
 * of heap dumps. No length or count of the file is believed before the bytes are there. Layouts:
 * docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/heap_record.h"
#include "heap/heapinput.h"

enum {
    DUMPSCAN_VERSION = 24,
    DUMPSCAN_WINDOW = 256 * 1024,
    DUMPSCAN_RECORD = 9, /* bytes of the head of a record */
};

/** The head of a file. */
struct dumpscan_head {
    char version[DUMPSCAN_VERSION];
    unsigned id_bytes;
    int64_t created_ms;
    uint64_t bytes; /* of the head */
};

/** A record: its tag, and where its body is. */
struct dumpscan_record {
    int tag;
    uint64_t at, bytes; /* of the body; never more bytes than the file has */
    uint64_t missing;   /* bytes of the body that the file lacks */
    bool may_be_longer; /* the dump of a stream: as long as its length says, or by 4 GB longer */
};

/** Reads the head. Errors: E_FORMAT, E_TRUNCATED. */
int dumpscan_read_head(struct heapwindow *w, struct dumpscan_head *ret_head);
/**
 * Reads the record at `*at`, and moves `*at` behind it. A length that wrapped, because the record
 * has 4 GB or more, is found from what follows.
 *
 * Returns 1; 0: the file ends here; E_TRUNCATED: it ends within the head of a record. Of a stream
 * nobody knows yet what is missing.
 */
int dumpscan_next_record(struct heapwindow *w, unsigned id_bytes, uint64_t *at,
                         struct dumpscan_record *ret_record);

/** A part of the file with records of objects. */
struct dumpscan_extent {
    uint64_t at, end;
    bool may_be_longer; /* as in struct dumpscan_record; dumpscan.end is then where it ends */
};

/** A walk over objects. The caller sets the first part, and zeroes the rest. */
struct dumpscan {
    struct heapwindow *window;
    unsigned id_bytes;
    const struct dumpscan_extent *extents;
    uint64_t extent_count;
    /* What was read: */
    struct heap_record r;
    int tag;                      /* enum heap_record_tag */
    uint64_t record_at;           /* where the record begins */
    uint64_t body_at, body_bytes; /* the values, elements or class items behind the fixed fields */
    /* The state of the walk, and what was wrong: */
    uint64_t next_extent, at, end;
    uint64_t missing; /* bytes that the last record should have had */
    uint64_t unknown_records, unknown_at;
};

/**
 * Reads the next record. Returns whether there is one whose bytes are all there. A tag that nobody
 * defines, or a record that is longer than its segment, ends the segment and is counted.
 */
bool dumpscan_next(struct dumpscan *s);
/** Bytes of an element or value of a type; 0: there is no such type. */
unsigned dumpscan_type_bytes(unsigned type, unsigned id_bytes);

enum dumpscan_item_kind { DUMPSCAN_CONSTANT, DUMPSCAN_STATIC, DUMPSCAN_FIELD };

/** One item of a class: a constant, a static field with its value, or a field of instances. */
struct dumpscan_item {
    enum dumpscan_item_kind kind;
    uint64_t name; /* id of the name; of a constant its index */
    unsigned type;
    uint64_t bits; /* the value, unsigned; 0 for DUMPSCAN_FIELD */
};

typedef bool dumpscan_visit(void *with, const struct dumpscan_item *item);

/**
 * Visits the items of the class whose body begins at `at`; `visit` NULL: only finds the end. `end`
 * bounds the body. Returns the bytes of the body. Errors: E_TRUNCATED; E_FORMAT: an unknown type.
 */
int64_t dumpscan_each_item(struct heapwindow *w, unsigned id_bytes, uint64_t at, uint64_t end,
                           dumpscan_visit *visit, void *with);
