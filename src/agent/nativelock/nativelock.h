/*
 * nativelock.h - what the files of event=nativelock share: the state of its engine.
 *
 * Hooks put the waits that are long enough into a ring, and count the others (safe/lockhook.h). A
 * thread of the agent reads the ring, names stacks and owners, and counts the waits for each
 * recording. The agent's lock guards the fields, except those that only the thread uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/agent.h"
#include "agent/hooking/hooking.h"

/** How many waits, and how long they were together. */
struct nativelock_sum {
    uint64_t waits, ns;
};

/** The counts of one recording. */
struct nativelock_counts {
    uint64_t waits;
    struct nativelock_sum shorter_before, lost_before; /* what hooks had counted at its beginning */
    struct nativelock_sum shorter, lost;               /* what was so for this recording alone */
};

struct nativelock {
    struct hooking hooking;
    struct nativelock_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * nativelock_drain.c: from the ring to the recordings. Needs the agent's lock. Context: java.
 */

/** For struct hooking_row, of the struct nativelock: count what has come since the last call. */
void nativelock_drain(struct hooking *h);
void nativelock_drain_take_in(struct hooking *h, const void *record);
/** Waits below the threshold, and waits without room, of the recording at this place. */
struct nativelock_sum nativelock_drain_shorter(const struct nativelock *n, int place);
struct nativelock_sum nativelock_drain_lost(const struct nativelock *n, int place);
/** A recording begins at this place. */
void nativelock_drain_begin(struct nativelock *n, int place);
