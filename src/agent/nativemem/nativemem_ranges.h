/*
 * nativemem_ranges.h - the ranges of pages that were mapped and are mapped still, in the order of
 * their addresses. No two overlap.
 *
 * A call may unmap a part of a range, or parts of several; what is left of a range keeps its stack.
 * Context: any; one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "profile/ids.h"

struct nativemem_range {
    uint64_t low, high; /* addresses, [low, high) */
    uint64_t time_ns;   /* after the call that mapped it; CLOCK_MONOTONIC */
    thread_id thread;
    uint8_t cut; /* a bit for the place of each recording whose trace lacks callers */
    /* by the places of recordings; 0: the recording does not have the range */
    trace_id of[AGENT_RECORDINGS];
};

struct nativemem_ranges {
    struct nativemem_range *rows; /* borrowed */
    uint32_t count, room;
};

/** Add a range where nothing is. Returns false: there is no room. */
bool nativemem_ranges_add(struct nativemem_ranges *t, const struct nativemem_range *range);
/**
 * [low, high) holds nothing of what was mapped until `before_ns`. Returns a bit for the place of
 * each recording that had something there. *ret_lost: bytes of a part that is still mapped, but
 * found no room.
 */
uint8_t nativemem_ranges_cut(struct nativemem_ranges *t, uint64_t low, uint64_t high,
                             uint64_t before_ns, uint64_t *ret_lost);
/** Take out what the kernel has not mapped, or without access: for a table that was not told of
 * each end. Errors: 0; -errno: /proc/self/maps cannot be read, and nothing was done. */
int nativemem_ranges_check(struct nativemem_ranges *t);
