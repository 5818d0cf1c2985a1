/*
 * format.h - the registry of file formats.
 *
 * Each format is one file format_NAME.c that exports one `const struct format`; the list in
 * meson.build is the whole registry, and the table format_all[] is made from it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct sink;

/** Where and why reading stopped: for a message of the form "FILE: offset N: text". */
struct format_error {
    int code;           /* negative, see base/err.h */
    uint64_t offset;    /* byte in the file */
    uint64_t line;      /* text formats: line number from 1; 0 otherwise */
    const char *detail; /* static text, or NULL */
};

/** A file that is being written. The driver fills all but `state`, which is the format's own. */
struct format_out {
    struct profile *profile; /* what events refer to; borrowed */
    struct sink *sink;       /* borrowed; keeps the first failure of writing */
    enum event_kind kind;    /* of all events to come, where the format holds one kind */
    uint32_t value;          /* and which of their values is written, 0 .. event_values(kind) - 1 */
    void *state;
};

struct format {
    const char *name;     /* as users write it: hprof-text */
    const char *help;     /* one line */
    const char *suffixes; /* blank-separated: ".txt .hprof.txt" */
    /**
     * How well the first `len` bytes fit: 0 not at all, 1 perhaps, 2 surely. Both this and `read`
     * are NULL where files of the format are only written.
     */
    int (*probe)(const unsigned char *bytes, size_t len);
    /**
     * Fill `profile` from a whole file in memory. Reads what is there: on a truncated or damaged
     * file what was read before the damage stays in the model and the error says where it was.
     * Errors: 0, or negative with *ret_error filled. Never logs, never aborts.
     */
    int (*read)(const unsigned char *bytes, size_t len, struct profile *profile,
                struct format_error *ret_error);
    /**
     * Bit N: a file holds events of kind N, with all their values, beside those of all other such
     * kinds, and the stacks as they are. 0: one value of the events of one kind, any.
     */
    uint32_t kinds;
    /**
     * Write: begin once, event for each event in any order, end once, also after a failure. All
     * three are NULL where files of the format are only read. What goes wrong with the sink stays
     * there. Errors: 0; -ENOMEM; E_LIMIT, the format cannot hold so much. Context: any.
     */
    int (*begin)(struct format_out *o);
    int (*event)(struct format_out *o, const struct event *event);
    int (*end)(struct format_out *o);
};

/** All formats, in the order of the list in meson.build; NULL at the end. */
extern const struct format *const format_all[];
const struct format *format_named(const char *name);
/** The format that can be written and has the longest suffix of this file name, or NULL. */
const struct format *format_for_file(const char *path);
/** The format whose probe fits best, or NULL. */
const struct format *format_probe(const unsigned char *bytes, size_t len);
