/*
 * hprof_text_cpu.h - the tables of CPU use in the text form: CPU SAMPLES, CPU TIME, and cpu=old's.
 *
 * Layouts: docs/format/hprof-text.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hprof_out;
struct hprof_out_times;

void hprof_text_cpu_samples(struct hprof_out *o);
void hprof_text_cpu_times(struct hprof_out *o, struct hprof_out_times *t);
void hprof_text_cpu_old(struct hprof_out *o, struct hprof_out_times *t);
