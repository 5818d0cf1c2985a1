/*
 * hprof_out.h - what the agent says while it writes an HPROF file, text or binary.
 *
 * One table of functions per format, so each format can be read whole in its own file
 * (hprof_text_out.c, hprof_bin_out.c). The agent holds its output lock around every call. Rows are
 * written once, and tables of samples say what came since the one before: each output has marks of
 * its own for that (hprof_marks.h).
 * Layouts: docs/format/hprof-text.md and docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_marks.h"
#include "profile/profile.h"

struct sink;
struct hprof_out;
struct hprof_sites;

/** A table of events of one kind, each row a sum. */
struct hprof_out_table {
    enum kind_id kind;
    uint32_t
        ranked_by; /* index of the value by which rows are ranked, and of which they have shares */
    struct event *rows; /* sorted by the writer */
    uint32_t count;
    uint64_t total;                   /* of that value, in rows that are left out, too */
    bool is_rounded;                  /* times are no more exact than the shares will say */
    bool has_raw;                     /* CPU TIME: a table of the uncorrected times follows */
    double cost_inside, cost_outside; /* what was taken off, ns a call: docs/times-how.md */
};

struct hprof_out_config {
    int64_t created_ms;  /* since the epoch: the header's time, from which record times count */
    uint32_t depth;      /* for CONTROL SETTINGS */
    double cutoff;       /* a fraction: tables end at the first row below it */
    int print_lines;     /* lineno=y */
    int print_threads;   /* thread=y */
    int names_threads;   /* binary: so do the stacks of threads in heap dumps, whatever thread= says
                          */
    int cpu_samples;     /* cpu=samples is on */
    int all_traces;      /* text: before a table all TRACEs, not only its own */
    int heap;            /* any heap= is on */
    bool is_plain;       /* binary: no CONTROL SETTINGS, at which some readers stop */
    int many_counts;     /* text: several kinds of measurement, so many quality counts */
    bool is_stream;      /* what is written cannot be rewritten: a socket, a pipe */
    bool is_old;         /* cpu=old: a text file without prologue and threads */
    uint32_t id_bytes;   /* of binary files: 4 or 8 */
    int large_heap;      /* the VM may hold 2 000 000 000 bytes or more: version 1.0.2 */
    size_t marks_bytes;  /* of memory for marks; 0: any number */
    struct tally *tally; /* whose sums and quality are written; NULL: the model's own */
};

struct hprof_out_ops {
    const char *name; /* "text" or "binary" */
    uint32_t kinds;   /* bit N: the format has tables of events of kind N */
    /** File header; text: the prologue with the area for quality lines. */
    void (*begin)(struct hprof_out *o);
    /** LOAD CLASS of a class that has none yet. */
    void (*load_class)(struct hprof_out *o, class_id klass, uint64_t object);
    void (*start_thread)(struct hprof_out *o, thread_id thread);
    /** The VM has dropped the class, which is in the file. NULL where the format has no such
     * record. */
    void (*unload_class)(struct hprof_out *o, class_id klass);
    void (*end_thread)(struct hprof_out *o, thread_id thread);
    /** The TRACEs that the table refers to and that are not in the file yet, then the table. */
    void (*table)(struct hprof_out *o, struct hprof_out_table *t);
    /** Every TRACE that is not in the file yet, in the order of serials. */
    void (*traces)(struct hprof_out *o);
    /** All new traces, then the table of allocation sites, whose rows are sorted by it. */
    void (*sites)(struct hprof_out *o, struct hprof_sites *t);
    /** The totals of all sites, by their values. Text has no such record. */
    void (*heap_summary)(struct hprof_out *o, const uint64_t total[KIND_VALUES]);
    /** The quality counts of the model, where old readers do not look. */
    void (*quality)(struct hprof_out *o);
};

/** The state of one output. Embedded by the agent; the fields belong to the writers. */
struct hprof_out {
    const struct hprof_out_ops *ops;
    struct sink *sink;       /* borrowed */
    struct profile *profile; /* borrowed */
    struct tally *tally;     /* borrowed */
    struct hprof_out_config config;
    struct hprof_marks marks;
    uint64_t quality_offset; /* text: where the area for quality lines begins; 0 none */
    uint64_t saturated;      /* binary: counts of sites that were larger than their field */
    uint32_t note_count;     /* binary: strings so far that nothing refers to */
};

extern const struct hprof_out_ops hprof_text_out;
extern const struct hprof_out_ops hprof_bin_out;
extern const struct hprof_out_ops hprof_no_out; /* writes nothing */

/**
 * Prepare; then call ops->begin. `sink` and `profile` are borrowed until the last call. Owner:
 * hprof_out_done().
 */
void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config);
/** Gives the marks' memory back. */
void hprof_out_done(struct hprof_out *o);

/**
 * Records may be missing in what was written: write again what later ones refer to, classes and
 * live threads at once, strings, frames and traces when a table needs them.
 */
void hprof_out_again(struct hprof_out *o);

/** Writes the table of the model's samples since hprof_out_next_samples(). */
void hprof_out_samples(struct hprof_out *o);
/** The next table of samples begins: those so far are in tables that have been written. */
void hprof_out_next_samples(struct hprof_out *o);

/* For the writers. */

/** Sort by the ranking value, ties by count and trace. Returns how many rows the cutoff leaves. */
uint32_t hprof_out_rank(const struct hprof_out *o, struct hprof_out_table *t);
