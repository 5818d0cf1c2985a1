/*
 * nativelock.h - what the files of event=nativelock share: the state of its engine.
 *
 * Hooks put the waits that are long enough into a ring, and count the others (safe/lockhook.h). A
 * thread of the agent reads the ring, names stacks and owners, and counts the waits for each
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

/** How many waits, and how long they were together. */
struct nativelock_sum {
    uint64_t waits, ns;
};

/** The counts of one recording. */
struct nativelock_counts {
    uint64_t waits;
    struct nativelock_sum shorter_before, lost_before; /* what hooks had counted at its beginning */
    struct nativelock_sum shorter, lost;               /* what was so for this recording alone */
    uint64_t unwalked_before;
};

struct nativelock {
    struct agent *agent;
    struct imports imports;
    bool running;
    void *ring;
    size_t ring_bytes;
    struct bell wake, stopped;
    _Atomic bool stop;
    _Atomic bool follows; /* the thread looks for libraries; before, ready() does */
    bool thread_runs;
    struct nativelock_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * nativelock_drain.c: from the ring to the recordings. Needs the agent's lock. Context: java.
 */

/** Count what has come since the last call. */
void nativelock_drain(struct nativelock *n);
/** Waits below the threshold, and waits without room, of the recording at this place. */
struct nativelock_sum nativelock_drain_shorter(const struct nativelock *n, int place);
struct nativelock_sum nativelock_drain_lost(const struct nativelock *n, int place);
/** A recording begins at this place. */
void nativelock_drain_begin(struct nativelock *n, int place);

/*
 * nativelock_loop.c: the agent's thread, which drains and follows dlopen().
 */

/** Argument: the struct nativelock. */
void JNICALL nativelock_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);
