/*
 * tally.h - what was counted for one reader of a profile: the sums of its events, and what it says
 * of their quality.
 *
 * A model has a tally of its own (profile.h). Who counts for several at once (recordings that run
 * at one time) has one for each: they share strings, classes, frames and traces with the model, and
 * each has its own sums. One that is not the model's own has memory of its own, with a budget.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct arena;
struct lookup_key;
struct sums;
struct tally;

/** Why a number may be less than the truth: one named count. */
struct profile_quality {
    const char *name; /* one word, as written in files: samples, lost, truncated, GC_active … */
    uint64_t count;
};

/**
 * Of at most `budget` bytes; `arena`: its rows lie there instead, as long as it lives. `key` is
 * borrowed. Errors: NULL without memory. Owner: tally_free().
 */
struct tally *tally_new(const struct lookup_key *key, struct arena *arena, size_t budget);
void tally_free(struct tally *t);
/** All sums and counts are gone; their memory is used again. */
void tally_clear(struct tally *t);
/** Errors: 0; E_LIMIT: the total would need more than 64 bits; -ENOMEM. Then nothing has changed.
 */
int tally_add(struct tally *t, const struct event *event);
/** The sums of a kind; the caller may clear them, and say what tables left out. */
struct sums *tally_sums(struct tally *t, enum event_kind kind);
/**
 * Adds to, or sets, a named quality count; names are borrowed and must outlive the tally. Errors:
 * 0; -ENOMEM: there are too many names.
 */
int tally_set_quality(struct tally *t, const char *name, uint64_t count);
/** The quality counts in the order of their first setting. */
const struct profile_quality *tally_quality(const struct tally *t, uint32_t *ret_count);
