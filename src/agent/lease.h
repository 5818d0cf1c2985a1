/*
 * lease.h - recordings that end by themselves, when their duration= is over, or when
 * nobody has asked for them within their lease, or holds them any more, or have a new file by
 * loop=.
 *
 * One thread of the agent waits for the next of them. It knows recordings by their numbers, so one
 * that wakes too late ends nobody else's. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct recording;

/** What ends the recording of that number, if it still is there. Context: java, no lock. */
typedef void lease_over(struct agent *a, JNIEnv *env, uint32_t number);

/** `r` has begun, and may have an end. Context: java; needs the lock of life. */
void lease_begin(struct agent *a, struct recording *r, JNIEnv *env, lease_over *over);
/** Somebody has asked for it: its lease begins anew. Needs the agent's lock. */
void lease_renew(struct recording *r);
/** Who asks for it waits for the answer: its lease does not end until lease_renew(), and
 * lease_look_again() behind that. Needs the agent's lock. */
void lease_hold(struct recording *r);
/** Whether the time of the recording, or of its file, is over by now: who was told so may have
 * waited while somebody asked for it. Needs the lock of life. */
bool lease_is_over(struct agent *a, struct recording *r);
/** A recording ends earlier than was known. Context: any, no lock. */
void lease_look_again(void);
/** No recording is there any more. Context: any. */
void lease_end(void);
