/*
 * heapdump_sites.h - the traces of sites in a heap dump.
 *
 * Sites are counted with the deepest traces that any recording wants. A dump shows them with the
 * depth of its own recording.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct heapdump;

/** Make the traces that the dump will refer to. Errors: 0, -ENOMEM. Needs the agent's lock. */
int heapdump_sites_take(struct heapdump *d);
/** Give the memory of the traces back. */
void heapdump_sites_done(struct heapdump *d);
/** The serial of the trace of a site, which may be 0. `arg` is the struct heapdump. Context: any,
 * also a forked child. */
uint32_t heapdump_sites_trace(const void *arg, uint32_t site);
