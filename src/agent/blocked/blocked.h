/*
 * blocked.h - a thread is blocked, and goes on: told to whoever asked, on that thread.
 *
 * The VM has events for contended enters of monitors and for Object.wait; parks are told by calls
 * that are put into LockSupport (blocked_park.h). Both ends are read off the clock here, so users
 * need to keep nothing to know how long it was. Virtual threads are threads like all others, also
 * where they leave their carriers. What users measure with it, and how, is theirs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/gate.h"
#include "profile/ids.h"
#include "vm/vm_event.h"
#include "vm/vm_threads.h"

struct agent;
struct thread;

enum blocked_by { BLOCKED_ENTER, BLOCKED_WAIT, BLOCKED_PARK };

/** How long it was meant to be. */
enum blocked_limit {
    BLOCKED_FOR_EVER,
    BLOCKED_FOR_MS,   /* Object.wait(ms) */
    BLOCKED_FOR_NS,   /* parkNanos */
    BLOCKED_UNTIL_MS, /* parkUntil, since 1970 */
};

/** One time that the calling thread is blocked. */
struct blocked {
    enum blocked_by by;
    struct thread *thread; /* NULL of a park: blocked_thread() */
    jobject object; /* the monitor's; of a park NULL, or its blocker: blocked_park_object() */
    int skip;       /* so many innermost frames are not the program's */
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end_ns is 0 where it begins */
    enum blocked_limit limit;
    int64_t limit_value;
    bool has_timed_out; /* of Object.wait, at its end */
};

/** What is kept of a thread between the two events. */
struct blocked_thread {
    uint64_t enter_ns, wait_ns; /* when it began; 0: it does not */
    int64_t wait_limit_ms;
};

enum { BLOCKED_EVENTS = 4 };

/** Whoever wants to be told. Static. All functions are called on the thread, without the agent's
 * lock, on whatever the thread holds: they must not wait. Context: java. */
struct blocked_user {
    /** What the user keeps of each thread, which begins with a struct blocked_thread. */
    struct vm_threads_row *row;
    /** An enter or a wait begins. */
    void (*begins)(JNIEnv *env, const struct blocked *b);
    /** A park begins. May be NULL. */
    void (*parks)(JNIEnv *env, const struct blocked *b);
    /** The enter, wait or park has ended; a wait before its monitor is entered again. */
    void (*ends)(JNIEnv *env, const struct blocked *b);
    /** What asks for parks, for messages: "monitor=all". */
    const char *parks_asked_by;
    /* the rest is blocked_events.c's and blocked_park.c's */
    struct vm_event_subscriber heard[BLOCKED_EVENTS];
    bool is_parking;
    struct gate parking;
};

/** How tables call what was waited for: "java.lang.Object (Java)", "... (Park)". 0: no memory.
 * Needs the agent's lock. */
string_id blocked_text(struct agent *a, const char *class_name, enum blocked_by by);
/**
 * The record of `thread`, NULL: the calling one. A virtual thread gets one when it is first met.
 * NULL: it is none of the program's. Context: java.
 */
struct thread *blocked_thread(struct agent *a, JNIEnv *env, jthread thread);
