/*
 * textin_cpu.h - reads the tables CPU SAMPLES, CPU TIME and that of cpu=old, and others of their
 * form; for the list of records in format_hprof_text.c. `s` is the rest of the table's first line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/textin.h"
#include "profile/event.h"

/* Begins a block of exact times. */
#define TEXTIN_CPU_EXACT "EXACT "
#define TEXTIN_CPU_OLD_HEAD "count callee caller time"

void textin_cpu_samples(struct textin *t, enum kind_id kind, struct textin_span s);
void textin_cpu_times(struct textin *t, enum kind_id kind, struct textin_span s);
/** A block of exact times; `s` is behind its first word. */
void textin_cpu_exact(struct textin *t, struct textin_span s);
void textin_cpu_old(struct textin *t, struct textin_span s);

/** A table whose rows are shares of a total time. */
struct textin_cpu_table {
    enum kind_id kind;
    bool has_methods;     /* behind a row's columns is the method of its trace; else a text */
    const char *no_total; /* what is wrong with a damaged one */
    const char *no_row;
    const char *cut;
};

/** Read the rest of such a table into the sums of its kind. */
void textin_cpu_table(struct textin *t, struct textin_span s, const struct textin_cpu_table *table);
