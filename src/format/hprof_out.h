/*
 * hprof_out.h - writes what the agent measures into an HPROF file, text or binary.
 *
 * Each format has one table of functions, so each format can be read in one file (hprof_text_out.c,
 * hprof_bin_out.c). The agent holds its output lock during every call. Each row is written once,
 * and a table of samples contains the samples since the table before. For that each output has
 * marks of its own (hprof_marks.h). Layouts: docs/format/hprof-text.md and
 * docs/format/hprof-binary.md.
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

/** A table of events of one kind. Each row is a sum. */
struct hprof_out_table {
    enum kind_id kind;
    /* Index of the value that decides the order of the rows. The shares are shares of this
     * value, too. */
    uint32_t ranked_by;
    struct event *rows; /* sorted by the writer */
    uint32_t count;
    uint64_t total;  /* sum of that value, also over rows that the table leaves out */
    bool is_rounded; /* times are not more exact than the printed shares */
    bool has_raw;    /* CPU TIME: a table of the uncorrected times follows */
    double cost_inside, cost_outside; /* what was subtracted, in ns per call: docs/times-how.md */
};

struct hprof_out_config {
    /* Milliseconds since the epoch: the time in the file's header. The times of records count from
     * it. */
    int64_t created_ms;
    uint32_t depth;    /* for CONTROL SETTINGS */
    double cutoff;     /* a fraction: a table ends before the first row below it */
    int print_lines;   /* lineno=y */
    int print_threads; /* thread=y */
    /* Binary: TRACEs name their threads even with thread=n, for the stacks of threads in heap
     * dumps. */
    int names_threads;
    int cpu_samples;     /* cpu=samples is on */
    int all_traces;      /* text: all TRACEs come before a table, not only its own */
    int heap;            /* any heap= is on */
    bool is_plain;       /* binary: no CONTROL SETTINGS record, at which some readers stop */
    int many_counts;     /* text: several engines measure, so there are many quality counts */
    bool is_stream;      /* a socket or a pipe: written bytes cannot be replaced */
    bool is_old;         /* cpu=old: a text file without prologue and threads */
    uint32_t id_bytes;   /* of binary files: 4 or 8 */
    int large_heap;      /* binary: the VM may have 2 000 000 000 bytes or more: version 1.0.2 */
    size_t marks_bytes;  /* memory for marks; 0: no limit */
    struct tally *tally; /* its sums and quality counts are written; NULL: the model's own */
};

struct hprof_out_ops {
    const char *name; /* "text" or "binary" */
    uint32_t kinds;   /* bit N: the format has tables of events of kind N */
    /** Writes the header of the file; in text the prologue with the area for quality lines. */
    void (*begin)(struct hprof_out *o);
    /** Writes LOAD CLASS for a class that has no such record yet. */
    void (*load_class)(struct hprof_out *o, class_id klass, uint64_t object);
    void (*start_thread)(struct hprof_out *o, thread_id thread);
    /** The VM has unloaded the class, which is in the file. NULL: the format has no such record. */
    void (*unload_class)(struct hprof_out *o, class_id klass);
    void (*end_thread)(struct hprof_out *o, thread_id thread);
    /** Writes the TRACEs to which the table refers and that are not in the file yet, then the
     * table. */
    void (*table)(struct hprof_out *o, struct hprof_out_table *t);
    /** Writes every TRACE that is not in the file yet, in the order of serial numbers. */
    void (*traces)(struct hprof_out *o);
    /** Writes all new TRACEs, then the table of allocation sites. Sorts its rows. */
    void (*sites)(struct hprof_out *o, struct hprof_sites *t);
    /** Writes the totals of all sites, value by value. The text form has no such record. */
    void (*heap_summary)(struct hprof_out *o, const uint64_t total[KIND_VALUES]);
    /** Writes the quality counts of the model, in a place where old readers do not look. */
    void (*quality)(struct hprof_out *o);
};

/** The state of one output. The agent embeds it; the fields belong to the writers. */
struct hprof_out {
    const struct hprof_out_ops *ops;
    struct sink *sink;       /* borrowed */
    struct profile *profile; /* borrowed */
    struct tally *tally;     /* borrowed */
    struct hprof_out_config config;
    struct hprof_marks marks;
    /* Text: where the area for quality lines begins; 0: there is none. */
    uint64_t quality_offset;
    /* Binary: how many counts of sites were larger than their field. */
    uint64_t saturated;
    /* Binary: how many strings without a reference have been written so far. */
    uint32_t note_count;
};

extern const struct hprof_out_ops hprof_text_out;
extern const struct hprof_out_ops hprof_bin_out;
extern const struct hprof_out_ops hprof_no_out; /* writes nothing */

/**
 * Prepare an output; then call ops->begin. `sink` and `profile` are borrowed until the last call.
 * Owner: hprof_out_done().
 */
void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config);
/** Frees the memory of the marks. */
void hprof_out_done(struct hprof_out *o);

/**
 * Records may be missing in the file: write again what later records refer to. Classes and live
 * threads are written at once; strings, frames and traces when a table needs them.
 */
void hprof_out_again(struct hprof_out *o);

/** Writes the table of the model's samples since hprof_out_next_samples() was called last. */
void hprof_out_samples(struct hprof_out *o);
/** The next table of samples begins here, because the samples so far have been written. */
void hprof_out_next_samples(struct hprof_out *o);

/* The functions below are for the writers of formats. */

/** Sorts the rows by the ranking value; equal rows by count and trace. Returns how many rows the
 * cutoff leaves in the table. */
uint32_t hprof_out_rank(const struct hprof_out *o, struct hprof_out_table *t);
