/*
 * heapdump_sites.h - the traces of sites in a heap dump: as deep as its recording has them, though
 * they are counted as deep as any recording wants.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct heapdump;

/** Make the traces that the dump will name. Errors: 0, -ENOMEM. Needs the agent's lock. */
int heapdump_sites_take(struct heapdump *d);
/** Give them back. */
void heapdump_sites_done(struct heapdump *d);
/** The serial of the trace of a site, of 0 too; `arg` is the heap dump. Context: any, also a forked
 * child. */
uint32_t heapdump_sites_trace(const void *arg, uint32_t site);
