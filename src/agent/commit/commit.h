/*
 * commit.h - carries the events of an application from hprof.jar to the engine that records them.
 *
 * Each type of events has a word that Java can read. The word says whether events of this type are
 * wanted, and how long such an event must have lasted. Java looks only at this word before it hands
 * over an event. Threads may hand over events at any time, also when nothing is recorded any more.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/gate.h"
#include "profile/custom.h"

struct agent;

enum { COMMIT_OFF = -1 };

/** An event as Java hands it over. */
struct commit {
    const struct custom_type *type;
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    jlongArray numbers;        /* a value for each field; a double as its bits */
    /* an object for each field: string, thread or class; NULL: no field has one */
    jobjectArray objects;
    int skip; /* number of innermost frames that do not belong to the program */
};

/** The engine that records. There is at most one. */
struct commit_user {
    struct gate gate;
    /** How many ns an event of this type must have lasted; COMMIT_OFF: events of this type are not
     * wanted. Needs the agent's lock. */
    int64_t (*least_ns)(const struct custom_type *type);
    /** Record an event. Context: java, on the thread of the event. */
    void (*take)(JNIEnv *env, const struct commit *c);
};

/** The words, indexed by the number of the type: the value of least_ns() plus 1, so 0 says that no
 * event is wanted. Java reads them. */
extern _Atomic int64_t commit_words[CUSTOM_TYPES];

/** From now on events go to `u`. Call this again when least_ns() gives other values. Needs the
 * agent's lock. */
void commit_begin(struct commit_user *u);
/** No events are wanted any more. */
void commit_end(void);
/** Wait until no thread is in a function of `u` any more. Returns false if a thread does not come
 * back in time. Context: java, no lock. */
bool commit_settle(struct commit_user *u);
/** A new type was defined: set the words again. Needs the agent's lock. */
void commit_note_types(void);
/** Hand an event over to the engine that records, if there is one. Context: java. */
void commit_hand_over(JNIEnv *env, const struct commit *c);

/*
 * commit_native.c: the native methods of hprof.Bridge for events: define, words, commit.
 */

enum { COMMIT_NATIVES = 3 };

/** The COMMIT_NATIVES methods, which work for the agent `a`; there is only one. Context: any. */
const JNINativeMethod *commit_native_methods(struct agent *a);
