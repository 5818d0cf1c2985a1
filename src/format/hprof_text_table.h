/*
 * hprof_text_table.h - writes CPU SAMPLES, CPU TIME, MONITOR TIME, other tables with the same
 * columns, and the table of cpu=old.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct hprof_out;
struct hprof_out_table;

/** Writes any table except SITES. */
void hprof_text_table(struct hprof_out *o, struct hprof_out_table *t);
