/*
 * blocked_events.h - when the users of blocked.h begin and end to be told.
 *
 * Enters and waits are events of the VM; parks come from blocked_park.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;
struct blocked_user;

/**
 * Tell `u` from now on. The caller has put u->row in place and has got the capabilities that the
 * events need. Context: java, the agent's lock not held.
 */
void blocked_events_begin(struct agent *a, JNIEnv *env, struct blocked_user *u, bool with_parks);
/** From now on tell `u` nothing. Does nothing if `u` was not told before. */
void blocked_events_end(struct blocked_user *u);
/** Wait until no thread is in a function of `u` any more. Called after blocked_events_end() and
 * vm_event_settle().
 * Errors: 0; -EBUSY. Context: java. */
int blocked_events_settle(struct blocked_user *u);
