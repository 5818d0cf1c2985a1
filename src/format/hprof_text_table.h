/*
 * hprof_text_table.h - writes CPU SAMPLES, CPU TIME, MONITOR TIME, other tables with the same
 * columns, and the table of cpu=old.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct writer_out;
struct writer_table;

/** Writes any table except SITES: a slot of struct writer. */
int hprof_text_table(struct writer_out *w, struct writer_table *t);
