/*
 * scope_value.h - the texts of scopes' values, by numbers that a word holds (safe/scope.h).
 *
 * The values of a key may never end, as those of requests: so the room is of a fixed number, and
 * where it ends all are forgotten that no open scope has. A number that was forgotten is never
 * another value's: it has a generation. Who has it asks for a new one. The texts of numbers that
 * were just forgotten stay until they are in others' way, for samples that are still on their way.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCOPE_VALUE_BYTES = 768 }; /* of a text, with its NUL; longer ones are cut */

/** A new number for a text of `len` bytes, modified UTF-8. 0: no memory, or all are in use. */
uint32_t scope_value_new(const char *text, size_t len);
/** Whether the number still stands for a text. No lock. */
bool scope_value_is_known(uint32_t value);
/** The text; its length, or 0: it was forgotten. */
size_t scope_value_text(uint32_t value, char ret[SCOPE_VALUE_BYTES]);
/** Counts how often values were forgotten: who knew a value at the same count still does. */
extern _Atomic uint32_t scope_value_epoch;
/** How many values found no room. */
uint64_t scope_value_lost(void);
