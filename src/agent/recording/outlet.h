/*
 * outlet.h - an outlet makes the writers of recordings: it has what the agent knows and a writer
 * (format/writer.h) needs.
 *
 * Each outlet is one file outlet_NAME.c that exports one `const struct outlet`; the list in
 * src/meson.build is the registry. A recording has one file, so its options want one outlet.
 * recording.c calls the writer.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct agent;
struct hprof_out;
struct options;
struct recording;
struct writer_out;

struct outlet {
    const char *name;
    /** Context: any. */
    bool (*is_wanted)(const struct options *o);
    /**
     * Called before anything is measured: set `writer`, and make `state` and the files. Other
     * fields of `ret` are 0.
     * Errors: 0; negative after a message, then the recording does not begin.
     * Owner: writer_end() frees ret->state. Context: any.
     */
    int (*create)(struct agent *a, struct recording *r, struct writer_out *ret);
    /**
     * The VM runs, and writer_begin() follows; all fields that the driver fills are filled.
     * `has_large_heap` as for recording_open(). May be NULL. Needs the agent's lock.
     */
    void (*ready)(struct recording *r, struct writer_out *o, bool has_large_heap);
};

extern const struct outlet *const outlet_all[];

/**
 * The state of the recording's HPROF file, for heap dumps: they are no events, and write records of
 * their own into the file. NULL: the recording has no such file. Needs the agent's lock.
 */
struct hprof_out *outlet_hprof_of(const struct recording *r);
