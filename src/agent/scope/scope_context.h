/*
 * scope_context.h - the open scopes of a thread as a context of the model (profile/context.h).
 *
 * The keys are the library's, for all recordings: whoever names them may do so before there is one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"
#include "safe/scope.h"

struct agent;
struct recording;

/** The number of a key, which is new where the name is. Errors: -1: there are SCOPE_KEYS others, or
 * no memory. Context: any, not signal. */
int scope_context_add_key(const char *name, const char *about);
/** How many keys there are. Context: any. */
uint32_t scope_context_keys(void);
/** The context of these values; 0: none. Needs the agent's lock. */
context_id scope_context_of(struct agent *a, const struct scope_values *values);
/** That of the calling thread at this moment. Likewise. */
context_id scope_context_here(struct agent *a);
/** That of the thread of this number of the kernel's. Likewise. */
context_id scope_context_of_thread(struct agent *a, int32_t tid);
/** That of a virtual thread that is not mounted, by the number that Java gives it. Likewise. */
context_id scope_context_of_virtual(struct agent *a, int64_t java_id);
/** The counts of what a recording lacks of its contexts, where there are keys. Likewise. */
void scope_context_set_quality(struct agent *a, struct recording *r);
/** The model is about to end: what is remembered of it is forgotten. Likewise. */
void scope_context_forget(void);
