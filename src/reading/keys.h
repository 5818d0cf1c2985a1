/*
 * keys.h - the keys by which users separate events: a key of the contexts (what a thread worked
 * for), or "process".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct diag;
struct profile;

/** Whether the key is "process". Readers keep processes only on request. */
bool keys_is_process(const char *key);
/** Whether events that were read from `source` have the key. If not, `diag` is told, with
 * the keys that they have. */
bool keys_has(const char *source, const char *key, struct profile *profile, struct diag *diag);
/** The number of a key of the events. The values of the key are strings of the profile. If the
 * program itself has a key "process", that key is used. */
int keys_find(struct profile *profile, const char *key);
/** The value of the key with this number for an event with this trace and context; 0: none. */
string_id keys_value(struct profile *profile, int key, trace_id trace, context_id context);
