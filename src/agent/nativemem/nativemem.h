/*
 * nativemem.h - what the files of event=nativemem share: the sampler of native memory.
 *
 * Hooks put sampled blocks into a ring and into a table (safe/memhook.h). A thread of the agent
 * reads both: it names the stacks, counts the blocks for each recording, and learns which blocks
 * were freed. Mapped ranges of pages come through the ring, each of them, and what unmaps them. The
 * agent's lock guards the fields, except those that only hooks or only the thread use.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/hooking/hooking.h"
#include "agent/nativemem/nativemem_ranges.h"

struct recording;

/** A sampled block that has not been freed, by its slot in the table (safe/blockset.h). */
struct nativemem_block {
    uint64_t address, bytes; /* address 0: the slot has no block, or it was not read yet */
    uint64_t time_ns;
    thread_id thread;
    uint8_t cut; /* a bit for the place of each recording whose trace lacks callers */
    /* by the places of recordings; 0: the recording does not have the block */
    trace_id of[AGENT_RECORDINGS];
};

/** The counts of one recording. */
struct nativemem_counts {
    uint64_t samples, freed, thinned, unwatched, lost;
    uint64_t mappings, mappings_unwatched;
};

struct nativemem {
    struct hooking hooking;
    uint64_t interval; /* the smallest that a recording asks for */
    uint64_t random;
    struct nativemem_block *blocks; /* a block for each slot; kept for ever */
    uint32_t slots;
    struct nativemem_ranges ranges; /* the memory is kept for ever */
    uint64_t freed_seen;            /* the table's count of freed blocks at the last look */
    bool has_waiting;               /* a block was freed before its sample was read */
    uint64_t lost_told;             /* samples lost by the ring that recordings have been told of */
    uint64_t lost_before;           /* samples that the ring had lost when the engine began */
    struct nativemem_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * nativemem_drain.c: from the ring and the table to the recordings. Needs the agent's lock.
 * Context: java.
 */

/** For struct hooking_row, of the struct nativemem: count what has come since the last call. */
void nativemem_drain(struct hooking *h);
void nativemem_drain_take_in(struct hooking *h, const void *record);
/** Put the blocks and mappings that the program holds now into the sums of the recording; at its
 * end its writer gets them, too. */
void nativemem_drain_held(struct nativemem *n, struct recording *r);
/** A recording begins or has ended at this place: it has no blocks and no mappings. */
void nativemem_drain_forget(struct nativemem *n, int place);
