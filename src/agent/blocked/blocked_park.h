/*
 * blocked_park.h - LockSupport.park and its like, told at both ends.
 *
 * The VM has no event for it; six methods of java.util.concurrent.locks.LockSupport are given calls
 * of a class of our own, once for all users of blocked.h. What else was tried: docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct blocked;
struct blocked_user;

/** Parks are told to `u` after the next injector_apply(); a failure is said. Context: java, agent's
 * lock not held. */
void blocked_park_begin(struct agent *a, JNIEnv *env, struct blocked_user *u);
/** Not any more; nothing happens if they were not. */
void blocked_park_end(struct blocked_user *u);
/** After blocked_park_end(), or without a begin: nobody is in a function of `u` any more. Errors:
 * 0, -EBUSY. Context: java. */
int blocked_park_settle(struct blocked_user *u);
/** What the calling thread is parked for, as `b` or the thread says; NULL: nothing. Owner: a local
 * reference, the caller's or that of `b`. Context: java. */
jobject blocked_park_object(JNIEnv *env, const struct blocked *b);
