/*
 * commit.h - the way of an application's events from hprof.jar to who records them.
 *
 * Java asks for nothing before it hands an event over but the word of the event's type, which says
 * whether somebody wants it, and how long it must have lasted. Threads may come at any time, also
 * when nothing is recorded any more. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/gate.h"
#include "profile/custom.h"

enum { COMMIT_OFF = -1 };

/** An event as Java hands it over. */
struct commit {
    const struct custom_type *type;
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    jlongArray numbers;        /* a value for each field: doubles as their bits */
    jobjectArray objects;      /* likewise: strings, threads, classes; NULL: there are none */
    int skip;                  /* innermost frames that are not the program's */
};

/** Who records. There is one at most. */
struct commit_user {
    struct gate gate;
    /** How long an event of this type must have lasted; COMMIT_OFF: none is wanted. Needs the
     * agent's lock. */
    int64_t (*least_ns)(const struct custom_type *type);
    /** Context: java, on the thread of the event. */
    void (*take)(JNIEnv *env, const struct commit *c);
};

/** By the numbers of types: what least_ns() said, and 1; 0: none is wanted. Java reads them. */
extern _Atomic int64_t commit_words[CUSTOM_TYPES];

/** From now on `u` is told; again: what it wants is another now. Needs the agent's lock. */
void commit_begin(struct commit_user *u);
/** Nothing is wanted any more. */
void commit_end(void);
/** No thread is with `u` any more; false: one does not come back. Context: java, no lock. */
bool commit_settle(struct commit_user *u);
/** A type has come: its word says what is wanted of it. Needs the agent's lock. */
void commit_note_types(void);
/** Context: java. */
void commit_hand_over(JNIEnv *env, const struct commit *c);
