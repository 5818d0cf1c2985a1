/*
 * sieve.h - which stacks of a file are kept, where there is no room for all: those with the largest
 * counts.
 *
 * For files whose stacks come before their counts. Such a file is read for its counts alone first,
 * which takes some bytes for each stack; then the sieve knows which stacks pass, and the file is
 * read for these, all others being one (fold.h). Stacks go by the serial numbers of the file, and
 * are compared by their shares of all counts of the same kind. Not thread-safe.
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

/** Begins counting, in a table of about `bytes`: past it the smallest are forgotten. NULL: no
 * memory. */
struct sieve *sieve_new(size_t bytes);
void sieve_free(struct sieve *s);

/** Whether counts are read, and stacks are not; not of NULL. */
bool sieve_is_counting(const struct sieve *s);
/** While counting: the stack has a row of this value; value[0] of event.def. */
void sieve_count(struct sieve *s, enum event_kind kind, uint32_t serial, uint64_t value);
/** While counting: the stack has to pass, whatever its counts. Else, and of NULL, nothing. */
void sieve_need(struct sieve *s, uint32_t serial);
/**
 * Ends counting; may be called again with fewer. At most `most` stacks pass from now on. Returns
 * how many do.
 */
uint32_t sieve_keep(struct sieve *s, uint32_t most);
/** Before the file is read for them: adds the stack of all others to the model. */
void sieve_begin(struct sieve *s, struct profile *p);
/** The stack of all others; 0 where the model had no room for it. */
trace_id sieve_rest(const struct sieve *s);
/** Whether the stack passes; of NULL all do, while counting none. For each stack of the file, so
 * that while counting its serial numbers are seen. */
bool sieve_passes(struct sieve *s, uint32_t serial);
/** How many stacks with counts do not pass. */
uint64_t sieve_folded(const struct sieve *s);
