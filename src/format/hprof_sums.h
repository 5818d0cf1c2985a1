/*
 * hprof_sums.h - makes tables of the sums of a tally, for both forms of HPROF files.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct writer_out;
struct writer_sums;

/** A slot of struct writer. Sites are ordered by live bytes if `wanted` says so, otherwise by
 * allocated bytes. */
int hprof_sums_put(struct writer_out *o, const struct writer_sums *wanted);
