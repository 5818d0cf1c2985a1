/*
 * trigger_set.h - the watches of all recordings.
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

/**
 * Add the watches that the options of the recording name. Errors: 0, or negative after a message,
 * and then no watch is added. Context: java, the agent's lock held.
 */
int trigger_set_join(struct agent *a, JNIEnv *env, struct recording *r);
/** Disarm all watches of this recording. Context: java, the agent's lock held. */
void trigger_set_part(const struct recording *r);
/**
 * The action of `w` has been carried out. If a trigger has no armed watch left, disarm it. Returns
 * whether the recording of `w` must end: it existed only for its triggers, and none is left.
 * Context: java, no lock.
 */
bool trigger_set_retire(struct agent *a, JNIEnv *env, struct trigger_watch *w);
/** Disarm all triggers. Context: java, no lock. */
void trigger_set_disarm(struct agent *a);
/**
 * After trigger_set_disarm(): make sure that no trigger is in use, and free all watches. Errors: 0,
 * or negative after a message.
 */
int trigger_set_release(struct agent *a, JNIEnv *env);
/** Tell all triggers that the VM is about to end. */
void trigger_set_dying(struct agent *a);
/**
 * The next armed watch of this trigger, from place *at on; NULL at the end. Context: any, not
 * signal.
 */
struct trigger_watch *trigger_set_next(const struct trigger *row, int *at);
/** Whether this is the name of the watch's class, in the form java/lang/String. */
bool trigger_set_has_name(const struct trigger_watch *w, const char *name, size_t len);
