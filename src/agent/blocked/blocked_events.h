/*
 * blocked_events.h - from when to when the users of blocked.h are told.
 *
 * Enters and waits are events of the VM, parks are blocked_park.h's.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct agent;
struct blocked_user;

/**
 * Tell `u` from now on. Its row is in place, and the VM has what the events need. Context: java,
 * the agent's lock not held.
 */
void blocked_events_begin(struct agent *a, JNIEnv *env, struct blocked_user *u, bool with_parks);
/** Tell it of nothing that begins. Nothing happens if it was not told. */
void blocked_events_end(struct blocked_user *u);
/** After blocked_events_end() and vm_event_settle(): nobody is in a function of `u` any more.
 * Errors: 0; -EBUSY. Context: java. */
int blocked_events_settle(struct blocked_user *u);
