/*
 * alloc_live.h - which objects are still there, per site: looked up when a table is made.
 *
 * A walk through the heap finds the objects that have tags, so nothing needs to be heard of those
 * that are collected. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct agent;
struct hprof_sites;
struct recording;

/**
 * Fill `ret` with what was allocated for a recording, and what of it lives now, one row a site,
 * with traces as the recording has them; flags and cutoff are the caller's. With
 * HPROF_SITES_COLLECTED a collection is forced before, if there is memory for it (else the flag is
 * taken away), with HPROF_SITES_INCREMENTAL only sites are listed that changed since a table last
 * had them: see alloc_live_keep_changed().
 *
 * Errors: 0, -ENOMEM, or E_UNSUPPORTED when the VM does not walk. Owner: the caller frees
 * ret->rows. Context: java, lock held.
 */
int alloc_live_table(struct agent *a, struct recording *r, struct hprof_sites *ret);
/**
 * The first `sent` rows of a filled table have been written; those behind them are as new as before
 * for the next table of changes. Context: lock held.
 */
void alloc_live_keep_changed(const struct recording *r, const struct hprof_sites *t, uint32_t sent);
