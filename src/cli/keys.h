/*
 * keys.h - the keys of what threads worked for, as users name them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct profile;

/** Whether events that were read from `source` have the key; else that was said, with the keys
 * there are. */
bool keys_has(const char *source, const char *key, struct profile *profile);
