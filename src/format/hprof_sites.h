/*
 * hprof_sites.h - what the two forms of HPROF files share for tables of allocation sites.
 *
 * Layouts: docs/format/hprof-text.md, docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "format/writer_sites.h"
#include "profile/profile.h"

struct hprof_out;

/** The index of the value that decides the order of the rows. */
uint32_t hprof_sites_ranked_by(const struct writer_sites *t);
/** Sort the rows, the largest first; equal rows by trace and class. Returns how many rows reach the
 * cutoff and belong in the table, and stores it in `written`. */
uint32_t hprof_sites_rank(struct writer_sites *t);

/** The kind of a class in the binary record: 0 objects, 2 arrays of objects, 4 .. 11 arrays of
 * primitives. */
uint8_t hprof_sites_kind(const struct hprof_out *o, class_id klass);
