/*
 * sieve.h - chooses which stacks of a file are kept if there is no room for all: those with the
 * largest counts.
 *
 * This is for files whose stacks come before their counts. Such a file is read twice. The first
 * time only its counts are read, which takes a few bytes for each stack. After that the sieve knows
 * which stacks pass. The second time these stacks are read, and all others become one stack
 * (fold.h). A stack is named by its serial number in the file. Stacks are compared by their shares
 * of all counts of the same kind. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"
#include "profile/ids.h"

struct profile;
struct sieve;

/** Begin counting in a table of about `bytes`. When the table is full the smallest counts are
 * forgotten. NULL: no memory. */
struct sieve *sieve_new(size_t bytes);
void sieve_free(struct sieve *s);

/** Whether counts are being read and stacks are not; false for NULL. */
bool sieve_is_counting(const struct sieve *s);
/** While counting: add a row of the stack. `value` is value[0] of its kind. */
void sieve_count(struct sieve *s, enum kind_id kind, uint32_t serial, uint64_t value);
/** While counting: the stack must pass, whatever its counts are. At other times, and for NULL, does
 * nothing. */
void sieve_need(struct sieve *s, uint32_t serial);
/**
 * End counting; at most `most` stacks pass from now on. It may be called again with a smaller
 * `most`. Returns how many stacks pass.
 */
uint32_t sieve_keep(struct sieve *s, uint32_t most);
/** Call it before the file is read for its stacks: adds the stack of all others to the model. */
void sieve_begin(struct sieve *s, struct profile *p);
/** The stack of all others; 0: the model had no room for it. */
trace_id sieve_rest(const struct sieve *s);
/** Whether the stack passes. For NULL every stack passes; while counting none does. Call it for
 * each stack of the file, because while counting the sieve notes the largest number. */
bool sieve_passes(struct sieve *s, uint32_t serial);
/** The largest number of a stack for which sieve_passes() was called while counting; 0: none. */
uint32_t sieve_largest(const struct sieve *s);
/** How many stacks with counts do not pass. */
uint64_t sieve_folded(const struct sieve *s);
