/*
 * io.h - what the files of event=io share: the state of its engine.
 *
 * Hooks put the calls that are long enough into a ring, and add up the others (safe/iohook.h). A
 * thread of the agent reads the ring, names stacks and peers, and counts the calls for each
 * recording. The agent's lock guards the fields, except those that only the thread uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/agent.h"
#include "imports/imports.h"
#include "safe/bell.h"

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
    uint64_t unwalked_before;
    uint64_t second, taken; /* the second of the last event, and the events in it */
};

struct io {
    struct agent *agent;
    struct imports imports;
    bool running;
    void *ring;
    size_t ring_bytes;
    uint32_t names; /* texts that were added to the model */
    struct bell wake, stopped;
    _Atomic bool stop;
    _Atomic bool follows; /* the thread looks for libraries; before, ready() does */
    bool thread_runs;
    struct io_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * io_drain.c: from the ring to the recordings. Needs the agent's lock. Context: java.
 */

/** Count what has come since the last call. */
void io_drain(struct io *io);
/** What the hooks have counted so far. */
struct io_sums io_drain_look(enum io_why why);
/** What was no event for the recording at this place since it began. */
struct io_sums io_drain_of(const struct io *io, int place, enum io_why why);

/*
 * io_loop.c: the agent's thread, which drains and follows dlopen().
 */

/** Argument: the struct io. */
void JNICALL io_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);
