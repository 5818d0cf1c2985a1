/*
 * lease.h - ends recordings whose duration= is over, whose lease ended because nobody asked for
 * them, or whose waiting command is gone; and starts the next file of loop=.
 *
 * One thread of the agent waits for the earliest of these ends. It knows recordings by their
 * numbers, so a late wake-up never ends a different recording.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct recording;

/**
 * Called when the recording of that number is to end or to change its file; the recording may be
 * gone. Context: java, no lock.
 */
typedef void lease_over(struct agent *a, JNIEnv *env, uint32_t number);

/** `r` has begun: watch it, if it may end by itself. Context: java; needs the lock of life. */
void lease_begin(struct agent *a, struct recording *r, JNIEnv *env, lease_over *over);
/** Somebody has asked for `r`: its lease begins anew. Needs the agent's lock. */
void lease_renew(struct recording *r);
/**
 * A command about `r` waits for its answer: the lease does not end before lease_renew(), which the
 * caller makes, followed by lease_look_again(). Needs the agent's lock.
 */
void lease_hold(struct recording *r);
/**
 * Whether the time of the recording, or of its file, is over now. The lease thread asks again,
 * because the lease may have been renewed while that thread waited for the lock of life. Needs the
 * lock of life.
 */
bool lease_is_over(struct agent *a, struct recording *r);
/**
 * A recording now ends earlier than the waiting thread knows: make it look again. Context: any, no
 * lock.
 */
void lease_look_again(void);
/** No recording is left: the thread ends. Context: any. */
void lease_end(void);
