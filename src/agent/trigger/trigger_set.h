/*
 * trigger_set.h - all watches, of all recordings.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

struct agent;
struct recording;
struct trigger;
struct trigger_watch;

/** Watch for what the options of the recording name. Errors: 0, or negative after a message, and
 * then for none of it. Context: java, the agent's lock held. */
int trigger_set_join(struct agent *a, JNIEnv *env, struct recording *r);
/** No more for this recording. Context: as above. */
void trigger_set_part(const struct recording *r);
/**
 * `w` has been obeyed. Triggers that nobody waits for any more are put to rest. Returns whether its
 * recording has nothing left to do: it was there for its triggers alone. Context: java, no lock.
 */
bool trigger_set_retire(struct agent *a, JNIEnv *env, struct trigger_watch *w);
/** All are put to rest. Context: java, no lock. */
void trigger_set_disarm(struct agent *a);
/** Nobody is in any of them; all are given back. Errors: 0, or negative after a message. */
int trigger_set_release(struct agent *a, JNIEnv *env);
/** The VM is about to die. */
void trigger_set_dying(struct agent *a);
/** The next watch of this trigger that somebody waits for, from place *at on; NULL at the end.
 * Context: any, not signal. */
struct trigger_watch *trigger_set_next(const struct trigger *row, int *at);
/** Whether a class of that name (java/lang/String) is the watch's. */
bool trigger_set_has_name(const struct trigger_watch *w, const char *name, size_t len);
