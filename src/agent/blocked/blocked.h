/*
 * blocked.h - tells its users when a thread is blocked and when it goes on.
 *
 * A user is called on the blocked thread itself. The VM has events for contended enters of monitors
 * and for Object.wait. For parks, calls are injected into LockSupport (blocked_park.c). This code
 * reads the clock at both ends, so a user learns the length of the time without keeping data of its
 * own. Virtual threads are treated like all other threads, also when they leave their carriers.
 * What a user measures with these calls is not known here.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/gate.h"
#include "profile/ids.h"
#include "vm/vm_event.h"
#include "vm/vm_threads.h"

struct agent;
struct thread;

enum blocked_by { BLOCKED_ENTER, BLOCKED_WAIT, BLOCKED_PARK };

/** How long the thread is to be blocked at most. */
enum blocked_limit {
    BLOCKED_FOR_EVER,
    BLOCKED_FOR_MS,   /* Object.wait(ms) */
    BLOCKED_FOR_NS,   /* parkNanos */
    BLOCKED_UNTIL_MS, /* parkUntil: ms since 1970 */
};

/** One occasion on which the calling thread is blocked. */
struct blocked {
    enum blocked_by by;
    struct thread *thread; /* NULL for a park: see blocked_thread() */
    jobject object; /* of the monitor; for a park its blocker or NULL: see blocked_park_object() */
    int skip;       /* number of innermost frames that do not belong to the program */
    uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end_ns is 0 at the begin */
    enum blocked_limit limit;
    int64_t limit_value;
    bool has_timed_out; /* only for Object.wait, at its end */
};

/** The memory of a thread between the begin and the end of an enter or a wait. */
struct blocked_thread {
    uint64_t enter_ns, wait_ns; /* when the enter or wait began; 0: there is none now */
    int64_t wait_limit_ms;
};

enum { BLOCKED_EVENTS = 4 };

/** A user of this file; static memory. All functions are called on the blocked thread, without the
 * agent's lock. The thread may hold any lock of the program, so the functions must not wait.
 * Context: java. */
struct blocked_user {
    /** The user's memory for each thread, which begins with a struct blocked_thread. */
    struct vm_threads_row *row;
    /** An enter or a wait begins. */
    void (*begins)(JNIEnv *env, const struct blocked *b);
    /** A park begins. May be NULL. */
    void (*parks)(JNIEnv *env, const struct blocked *b);
    /** The enter, wait or park has ended. For a wait, this is called before the thread enters the
     * monitor again. */
    void (*ends)(JNIEnv *env, const struct blocked *b);
    /** The option that asks for parks, for messages, for example "monitor=all". */
    const char *parks_asked_by;
    /* the fields below belong to blocked.c and blocked_park.c */
    struct vm_event_subscriber heard[BLOCKED_EVENTS];
    bool is_parking;
    struct gate parking;
};

/** The name that tables give to the object of a wait, for example "java.lang.Object (Java)", or
 * "java.lang.Object (Park)" for a park. 0: no memory. Needs the agent's lock. */
string_id blocked_text(struct agent *a, const char *class_name, enum blocked_by by);
/**
 * The record of the calling thread, which `thread` names, if it is not NULL. A virtual thread gets
 * its record when it is first met. Returns NULL if the thread does not belong to the program.
 * Context: java.
 */
struct thread *blocked_thread(struct agent *a, JNIEnv *env, jthread thread);

/* ---- when users begin and end to be told */

/**
 * Tell `u` from now on. The caller has put u->row in place and has got the capabilities that the
 * events need. Context: java, the agent's lock not held.
 */
void blocked_begin(struct agent *a, JNIEnv *env, struct blocked_user *u, bool with_parks);
/** From now on tell `u` nothing. Does nothing if `u` was not told before. */
void blocked_end(struct blocked_user *u);
/** Wait until no thread is in a function of `u` any more. Called after blocked_end() and
 * vm_event_settle().
 * Errors: 0; -EBUSY. Context: java. */
int blocked_settle(struct blocked_user *u);

/*
 * blocked_park.c: tells the users about the begin and the end of each
 * LockSupport.park.
 *
 * The VM has no event for parks. Therefore calls of a tracker class are injected into six methods
 * of java.util.concurrent.locks.LockSupport, once for all users. docs/monitor.md tells
 * what else was tried.
 */

/** Tell `u` about parks after the next injector_apply(). A failure is reported in a message.
 * Context: java, agent's lock not held. */
void blocked_park_begin(struct agent *a, JNIEnv *env, struct blocked_user *u);
/** Tell `u` about parks no more. Does nothing if `u` was not told before. */
void blocked_park_end(struct blocked_user *u);
/** Wait until no thread is in a function of `u` any more. Called after blocked_park_end(), also
 * without a begin. Errors: 0, -EBUSY. Context: java. */
int blocked_park_settle(struct blocked_user *u);
/** The blocker of the calling thread's park, from `b` or from the thread's field parkBlocker; NULL:
 * there is none. Owner: a local reference; it is b->object if that is not NULL, otherwise it
 * belongs to the caller. Context: java. */
jobject blocked_park_object(JNIEnv *env, const struct blocked *b);
