/*
 * hprof_text_table.h - CPU SAMPLES, CPU TIME, MONITOR TIME and the tables of their form, and that
 * of cpu=old.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct hprof_out;
struct hprof_out_table;

/** Any table but that of sites. */
void hprof_text_table(struct hprof_out *o, struct hprof_out_table *t);
