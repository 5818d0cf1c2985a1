/*
 * scope_context.h - the open scopes of a thread as a context of the model (profile/context.h).
 *
 * The keys belong to the library and are shared by all recordings, so a program may add keys before
 * a recording runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"
#include "safe/scope.h"

struct agent;
struct recording;

/**
 * The number of a key; a new name gets a new number. Errors: -1: there are SCOPE_KEYS keys already,
 * or no memory. Context: any, not signal.
 */
int scope_context_add_key(const char *name, const char *about);
/** How many keys there are. Context: any. */
uint32_t scope_context_keys(void);
/** The name of a key, which is never freed; NULL: there is none. Context: any. */
const char *scope_context_key_name(uint32_t number);
/** The context of these values; 0: none. Needs the agent's lock. */
context_id scope_context_of(struct agent *a, const struct scope_values *values);
/** The context of the calling thread now. Needs the agent's lock. */
context_id scope_context_here(struct agent *a);
/**
 * Read the values of another thread, given by its kernel thread id. They may be of a later moment
 * than a stack of this thread that was taken before: read them before and after, and compare.
 * Context: any, not signal.
 */
void scope_context_read_thread(int32_t tid, struct scope_values *ret);
/**
 * Read the values of a virtual thread that is not mounted; `java_id` is its number in Java. Compare
 * them as those of scope_context_read_thread(). Context: any, not signal.
 */
void scope_context_read_virtual(int64_t java_id, struct scope_values *ret);
/**
 * Set the quality counts of contexts that the recording lacks, if there are keys. Needs the agent's
 * lock.
 */
void scope_context_set_quality(struct agent *a, struct recording *r);
/** Forget what is cached of the model, which is about to be freed. Needs the agent's lock. */
void scope_context_forget(void);
