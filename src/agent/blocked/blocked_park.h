/*
 * blocked_park.h - tells the users of blocked.h about the begin and the end of each
 * LockSupport.park.
 *
 * The VM has no event for parks. Therefore calls of a tracker class are injected into six methods
 * of java.util.concurrent.locks.LockSupport, once for all users of blocked.h. docs/monitor.md tells
 * what else was tried.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct blocked;
struct blocked_user;

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
