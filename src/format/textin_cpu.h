/*
 * textin_cpu.h - reads the tables CPU SAMPLES, CPU TIME and that of cpu=old; for the list of
 * records in format_hprof_text.c. `s` is the rest of the table's first line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"

#define TEXTIN_CPU_OLD_HEAD "count callee caller time"

void textin_cpu_samples(struct textin *t, struct textin_span s);
void textin_cpu_times(struct textin *t, struct textin_span s);
void textin_cpu_unfinished(struct textin *t, struct textin_span s);
void textin_cpu_old(struct textin *t, struct textin_span s);

/** The columns that a row of CPU SAMPLES, CPU TIME and MONITOR TIME begins with. */
struct textin_cpu_row {
    uint32_t self_hundredths; /* of a percent */
    uint64_t count;
    uint32_t trace; /* its serial */
};

/** Takes them and the blanks behind them off `s`. Errors: 0 where they are not there, else 1. */
int textin_cpu_row(struct textin_span *s, struct textin_cpu_row *ret_row);
/** "(total = N", ms. Errors: 0 where it is not there, else 1. */
int textin_cpu_total(struct textin_span *s, uint64_t *ret_us);
/** The time of a row, as exact as its two digits of a percent are. */
uint64_t textin_cpu_share(uint64_t total_us, const struct textin_cpu_row *row);
