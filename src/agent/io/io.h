/*
 * io.h - what the files of event=io share: the state of its engine.
 *
 * Hooks put the calls that are long enough into a ring, and add up the others (safe/iohook.h). A
 * thread of the agent reads the ring, names stacks and peers, and counts the calls for each
 * recording. The agent's lock guards the fields, except those that only the thread uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/hooking/hooking.h"

struct iohook_sums;
struct recording;

/** Calls that are no events. */
struct io_sums {
    uint64_t calls, ns, read, written;
};

/** Why a call is no event. */
enum io_why {
    IO_SHORTER,   /* than the threshold */
    IO_THROTTLED, /* there were too many in its second */
    IO_LOST,      /* there was no room */
    IO_WHYS,
};

/** The counts of one recording. */
struct io_counts {
    uint64_t events;
    struct io_sums before[IO_WHYS]; /* what the hooks had counted when the recording began */
    struct io_sums own[IO_WHYS];    /* what was no event for this recording alone */
    uint64_t second, taken;         /* the second of the last event, and the events in it */
};

struct io {
    struct hooking hooking;
    uint32_t names;                        /* texts that were added to the model */
    struct io_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * io_drain.c: from the ring to the recordings. Needs the agent's lock. Context: java.
 */

/** For struct hooking_row, of the struct io: count what has come since the last call. */
void io_drain(struct hooking *h);
void io_drain_take_in(struct hooking *h, const void *record);
/** What the hooks have counted so far. */
struct io_sums io_drain_look(enum io_why why);
/** What was no event for the recording at this place since it began. */
struct io_sums io_drain_of(const struct io *io, int place, enum io_why why);
