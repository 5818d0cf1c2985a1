/*
 * textin_cpu.h - reads the tables CPU SAMPLES, CPU TIME, the table of cpu=old, and other tables
 * with the same columns; for the list of records in format_hprof_text.c. `s` is the rest of the
 * table's first line.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/textin.h"
#include "profile/event.h"

/* The beginning of a block of exact times. */
#define TEXTIN_CPU_EXACT "EXACT "
#define TEXTIN_CPU_OLD_HEAD "count callee caller time"

void textin_cpu_samples(struct textin *t, enum kind_id kind, struct textin_span s);
void textin_cpu_times(struct textin *t, enum kind_id kind, struct textin_span s);
/** Reads a block of exact times. `s` begins behind the first word of the block. */
void textin_cpu_exact(struct textin *t, struct textin_span s);
void textin_cpu_old(struct textin *t, struct textin_span s);

/** A table whose rows are shares of a total time. */
struct textin_cpu_table {
    enum kind_id kind;
    /* The last column is the innermost method of the row's trace; otherwise it is a text. */
    bool has_methods;
    const char *no_total; /* details of errors in a damaged table */
    const char *no_row;
    const char *cut;
};

/** Reads the rest of such a table into the sums of its kind. */
void textin_cpu_table(struct textin *t, struct textin_span s, const struct textin_cpu_table *table);
