/*
 * allocsample_live.h - event=live: which of the sampled objects the program still holds.
 *
 * A recording with event=live keeps weak references to its own samples (live_set.h). An object
 * lives if its reference still refers to it when a dump is made. The VM's events count the
 * collections; the age of an object is the number of collections that it has survived. All
 * functions need the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct agent;
struct recording;

/** Whether the recording asks for event=live. */
bool allocsample_live_is_wanted(const struct recording *r);
/** The recording begins; does nothing if it does not ask for event=live. Errors: 0; negative after
 * a message. */
int allocsample_live_join(struct agent *a, struct recording *r);
/** The recording has ended, or could not begin. */
void allocsample_live_part(struct agent *a, struct recording *r);
/** Keep an object that was counted for `r` as this event. */
void allocsample_live_add(const struct recording *r, JNIEnv *env, jobject object,
                          const struct event *event);
/** Drop the references to objects that are gone. Does nothing if there was no collection since the
 * last call. */
void allocsample_live_sweep(JNIEnv *env);
/** Put the objects that live now into the recording's sums of KIND_SITE. When the recording ends,
 * its writer gets each object as an event. Errors: 0; -ENOMEM: some objects found no room. */
int allocsample_live_put(struct agent *a, struct recording *r);
/** Stop counting collections. */
void allocsample_live_release(void);
