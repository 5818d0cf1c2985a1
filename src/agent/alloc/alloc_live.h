/*
 * alloc_live.h - how many objects of each site still live, found when a table is made.
 *
 * A walk through the heap finds the objects that have tags. The agent therefore needs no event for
 * objects that the collector frees. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct agent;
struct writer_sites;
struct recording;

/**
 * Fill `ret` with what was allocated for a recording and how much of that lives now. The table has
 * one row for each site, with traces as the recording has them. The caller has set flags and
 * cutoff. With WRITER_SITES_COLLECTED a collection is forced before; if there is not enough memory
 * for it, the function clears the flag. With WRITER_SITES_INCREMENTAL the table lists only sites
 * that have changed since the last table that listed them: see alloc_live_keep_changed().
 *
 * Errors:  0; -ENOMEM; E_UNSUPPORTED if the VM does not walk its heap.
 * Owner:   the caller frees ret->rows.
 * Context: java, lock held.
 */
int alloc_live_table(struct agent *a, struct recording *r, struct writer_sites *ret);
/**
 * The first `sent` rows of a filled table have been written. The rows behind them still count as
 * changed for the next table. Context: lock held.
 */
void alloc_live_keep_changed(const struct recording *r, const struct writer_sites *t,
                             uint32_t sent);
