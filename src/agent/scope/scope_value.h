/*
 * scope_value.h - texts of scope values, referred to by numbers that fit into a word
 * (safe/scope.h).
 *
 * A key may have new values without end, for example the ids of requests. So there is a fixed
 * number of places. When all are taken, every value that no open scope has is forgotten. A number
 * has a generation, so a forgotten number never stands for another value; its user asks for a new
 * number. The text of a forgotten number stays until its place is needed, for samples that are
 * still on their way.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCOPE_VALUE_BYTES = 768 }; /* of a text with its NUL; longer texts are cut */

/**
 * A new number for a text of `len` bytes of modified UTF-8. 0: no memory, or all places are in use.
 */
uint32_t scope_value_new(const char *text, size_t len);
/** Whether the number still stands for its text. Takes no lock. */
bool scope_value_is_known(uint32_t value);
/** Copy the text of a number. Returns its length; 0: the text was forgotten. */
size_t scope_value_text(uint32_t value, char ret[SCOPE_VALUE_BYTES]);
/** Counts how often values were forgotten, or began or ended to be published (scope_publish.c). A
 * value known at the same count is still known. */
extern _Atomic uint32_t scope_value_epoch;
/** How many values found no place. */
uint64_t scope_value_lost(void);
