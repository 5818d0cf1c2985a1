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
#include <stdint.h>
#include "format/hprof_marks.h"
#include "profile/profile.h"

struct sink;
struct hprof_out;
struct hprof_sites;

/** A row of a table of CPU use. */
struct hprof_out_row {
    trace_id trace;
    uint64_t cost;  /* what rows are ranked by: samples, or ns of self time */
    uint64_t count; /* what the column "count" says: samples, or calls */
    uint64_t raw;   /* of CPU TIME: ns of self time as measured, uncorrected */
};

/** A table of CPU TIME. */
struct hprof_out_times {
    struct hprof_out_row *rows;
    uint32_t count;
    uint64_t total;                   /* of all costs */
    uint64_t total_ms;                /* as printed */
    int is_unfinished;                /* of calls that have not ended */
    int is_waiting;                   /* of methods that do nothing but wait */
    int has_raw;                      /* a table of the uncorrected times follows */
    double cost_inside, cost_outside; /* what was taken off, ns a call: docs/times.md */
};

struct hprof_out_config {
    int64_t created_ms; /* since the epoch: the header's time, from which record times count */
    uint32_t depth;     /* for CONTROL SETTINGS */
    double cutoff;      /* a fraction: tables end at the first row below it */
    int print_lines;    /* lineno=y */
    int print_threads;  /* thread=y */
    int cpu_samples;    /* cpu=samples is on */
    int all_traces;     /* text: before a table all TRACEs, not only its own */
    int heap;           /* any heap= is on */
    int many_counts;    /* text: several kinds of measurement, so many quality counts */
    int is_stream;      /* what is written cannot be rewritten: a socket, a pipe */
    int is_old;         /* cpu=old: a text file without prologue and threads */
    uint32_t id_bytes;  /* of binary files: 4 or 8 */
    int large_heap;     /* the VM may hold 2 000 000 000 bytes or more: version 1.0.2 */
    size_t marks_bytes; /* of memory for marks; 0: any number */
};

struct hprof_out_ops {
    const char *name; /* "text" or "binary" */
    /** File header; text: the prologue with the area for quality lines. */
    void (*begin)(struct hprof_out *o);
    /** LOAD CLASS of a class that has none yet. */
    void (*load_class)(struct hprof_out *o, class_id klass, uint64_t object);
    void (*start_thread)(struct hprof_out *o, thread_id thread);
    void (*end_thread)(struct hprof_out *o, thread_id thread);
    /** The TRACEs that the table refers to and that are not in the file yet, then the table. */
    void (*cpu_samples)(struct hprof_out *o);
    /** The same for cpu=times; sorts the rows. NULL: the format has no such table. */
    void (*cpu_times)(struct hprof_out *o, struct hprof_out_times *t);
    /** The table of cpu=old: a row's trace is callee and caller, its cost ns; sorts the rows. */
    void (*old_times)(struct hprof_out *o, struct hprof_out_times *t);
    /** Every TRACE that is not in the file yet, in the order of serials. */
    void (*traces)(struct hprof_out *o);
    /** All new traces, then the table of allocation sites, whose rows are sorted by it. */
    void (*sites)(struct hprof_out *o, struct hprof_sites *t);
    /** The totals of all sites. Text has no such record. */
    void (*heap_summary)(struct hprof_out *o, const struct profile_site *total);
    /** The quality counts of the model, where old readers do not look. */
    void (*quality)(struct hprof_out *o);
};

/** The state of one output. Embedded by the agent; the fields belong to the writers. */
struct hprof_out {
    const struct hprof_out_ops *ops;
    struct sink *sink;       /* borrowed */
    struct profile *profile; /* borrowed */
    struct hprof_out_config config;
    struct hprof_marks marks;
    uint64_t quality_offset; /* text: where the area for quality lines begins; 0 none */
    uint64_t saturated;      /* binary: counts of sites that were larger than their field */
    uint32_t quality_count;  /* binary: how many quality strings have been written */
};

extern const struct hprof_out_ops hprof_text_out;
extern const struct hprof_out_ops hprof_bin_out;

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

/* For the writers. */

/** The rows of CPU SAMPLES, ranked and cut. The caller frees *ret_rows. Returns how many. */
uint32_t hprof_out_samples(struct hprof_out *o, struct hprof_out_row **ret_rows,
                           uint64_t *ret_total);
/** The next table of samples begins: those so far are in tables that have been written. */
void hprof_out_next_samples(struct hprof_out *o);
/** Sort by cost, ties by trace. Returns how many rows the cutoff leaves. */
uint32_t hprof_out_rank(const struct hprof_out *o, struct hprof_out_row *rows, uint32_t count,
                        uint64_t total);
/** Whether a table ends before a row of `ticks` of `total`. */
int hprof_out_is_below_cutoff(uint64_t ticks, uint64_t total, double cutoff);
