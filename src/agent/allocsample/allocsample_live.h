/*
 * allocsample_live.h - event=live: which of the sampled objects the program still holds.
 *
 * Each recording that asks keeps weak references to its own samples (live_set.h); what they refer
 * to at a dump is what lives. Collections are counted from the VM's events, so an object's age is
 * how many it has survived. Functions need the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct agent;
struct recording;

/** Whether the recording asks for it. */
bool allocsample_live_is_wanted(const struct recording *r);
/** It begins, if it asks. Errors: 0; negative after a message. */
int allocsample_live_join(struct agent *a, struct recording *r);
/** It has ended, or has not begun after all. */
void allocsample_live_part(struct agent *a, struct recording *r);
/** An object that was counted for `r` as this event. */
void allocsample_live_add(const struct recording *r, JNIEnv *env, jobject object,
                          const struct event *event);
/** Let go of what is no more, where there was a collection since the last time. */
void allocsample_live_sweep(JNIEnv *env);
/** Put what lives now into the recording's sums of EVENT_SITE; when it ends its outlets hear of
 * each object. Errors: 0; -ENOMEM: some of it found no room. */
int allocsample_live_put(struct agent *a, struct recording *r);
/** Collections are counted no more. */
void allocsample_live_release(void);
