/*
 * hprof_out.h - what the two writers of HPROF files share, text (hprof_text_out.c) and binary
 * (hprof_bin_out.c).
 *
 * Each row of the model is written once, and a table of samples contains the samples since the
 * table before. For that each file has marks of its own (row_marks.h). Layouts:
 * docs/format/hprof-text.md and docs/format/hprof-binary.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/writer.h"
#include "format/writer_sites.h"
#include "format/row_marks.h"

struct profile;
struct sink;
struct tally;

struct hprof_out_config {
    /* Milliseconds since the epoch: the time in the file's header. The times of records count from
     * it. */
    int64_t created_ms;
    uint32_t depth;    /* for CONTROL SETTINGS */
    int print_lines;   /* lineno=y */
    int print_threads; /* thread=y */
    /* Binary: TRACEs name their threads even with thread=n, for the stacks of threads in heap
     * dumps. */
    int names_threads;
    int cpu_samples;    /* cpu=samples is on */
    int all_traces;     /* text: all TRACEs come before a table, not only its own */
    int heap;           /* any heap= is on */
    bool is_plain;      /* binary: no CONTROL SETTINGS record, at which some readers stop */
    bool renames;       /* binary: names of threads and code are replaced: hprof_redact.h */
    int many_counts;    /* text: several engines measure, so there are many quality counts */
    bool is_stream;     /* a socket or a pipe: written bytes cannot be replaced */
    bool is_old;        /* cpu=old: a text file without prologue and threads */
    uint32_t id_bytes;  /* of binary files: 4 or 8 */
    int large_heap;     /* binary: the VM may have 2 000 000 000 bytes or more: version 1.0.2 */
    size_t marks_bytes; /* memory for marks; 0: no limit */
};

/** The state of one HPROF file: writer_out.state. The fields belong to the writers. */
struct hprof_out {
    struct sink *sink; /* borrowed, as the two below */
    struct profile *profile;
    struct tally *tally;
    struct hprof_out_config config;
    struct row_marks marks;
    /* Text: where the area for quality lines begins; 0: there is none. */
    uint64_t quality_offset;
    /* Binary: how many counts of sites were larger than their field. */
    uint64_t saturated;
    /* Binary: how many strings without a reference have been written so far. */
    uint32_t note_count;
};

extern const struct writer hprof_text_out;
extern const struct writer hprof_bin_out;

/** Make the state of a file whose `writer` is one of both. Errors: 0; -ENOMEM. Owner:
 * writer_end(). */
int hprof_out_new(struct writer_out *o);
/** Prepare the state for writer_begin(), with the sink, profile and tally of `o`, which are
 * borrowed until writer_end(). */
void hprof_out_set_up(struct writer_out *o, const struct hprof_out_config *config);

/** The index of the value that decides the order of the rows of a table of sites. */
uint32_t hprof_out_sites_ranked_by(const struct writer_sites *t);
/** Sort the rows, the largest first; equal rows by trace and class. Returns how many rows reach the
 * cutoff and belong in the table, and stores it in `written`. */
uint32_t hprof_out_sites_rank(struct writer_sites *t);
/** The kind of a class in the binary record of sites: 0 objects, 2 arrays of objects, 4 .. 11
 * arrays of primitives. */
uint8_t hprof_out_sites_kind(const struct hprof_out *o, class_id klass);

/* The functions below are slots that both forms share. */

/** Makes a table of the sums of the tally. Sites are ordered by live bytes if `wanted` says so,
 * otherwise by allocated bytes. */
int hprof_out_sums(struct writer_out *o, const struct writer_sums *wanted);

void hprof_out_next(struct writer_out *o, enum kind_id kind);
/** Classes and live threads are written at once; strings, frames and traces when a table needs
 * them. */
void hprof_out_again(struct writer_out *o);
int hprof_out_end(struct writer_out *o);
