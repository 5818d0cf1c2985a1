/*
 * keys.h - what events are told apart by, as users name it: a key of what threads worked for, or
 * "process".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct profile;

/** Whether the key is that of processes, which a reader has to be asked for. */
bool keys_is_process(const char *key);
/** Whether events that were read from `source` have the key; else that was said, with the keys
 * there are. */
bool keys_has(const char *source, const char *key, struct profile *profile);
/** The number of a key that events have; its values are strings of the profile. A program's own key
 * "process" comes before processes. */
int keys_find(struct profile *profile, const char *key);
/** What an event of this trace and context has for a key of that number; 0: nothing. */
string_id keys_value(struct profile *profile, int key, trace_id trace, context_id context);
