/*
 * tally.h - what was counted for one reader of a profile: the sums of its events, and its quality
 * counts.
 *
 * A model has its own tally (profile.h). If several recordings run at one time, each has its own
 * tally. They share strings, classes, frames and traces of the model, and each has its own sums. A
 * tally that is not the model's own has its own memory, with a budget.
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

/** A tally has at most so many named counts. */
enum { TALLY_QUALITY_MAX = 135 };

/** A named count that tells why a number may be smaller than the truth. */
struct profile_quality {
    /* one word, as in files: samples, lost, truncated, GC_active … */
    const char *name;
    uint64_t count;
};

/**
 * Create a tally of at most `budget` bytes. If `arena` is not NULL its rows lie there, and the
 * arena must outlive it. `key` is borrowed. Errors: NULL: no memory. Owner: tally_free().
 */
struct tally *tally_new(const struct lookup_key *key, struct arena *arena, size_t budget);
void tally_free(struct tally *t);
/** Remove all sums and counts; their memory is used again. */
void tally_clear(struct tally *t);
/** Add an event. Errors: 0; E_LIMIT: the total would need more than 64 bits; -ENOMEM. After an
 * error nothing has changed. */
int tally_add(struct tally *t, const struct event *event);
/** The sums of a kind. The caller may clear them, and may set what tables left out. */
struct sums *tally_sums(struct tally *t, enum kind_id kind);
/**
 * Set the quality count with this name; added if it is new. Names are borrowed and must outlive the
 * tally.
 *
 * Errors:  0; -ENOMEM: there are too many names.
 */
int tally_set_quality(struct tally *t, const char *name, uint64_t count);
/** The quality counts, in the order in which they were first set. */
const struct profile_quality *tally_quality(const struct tally *t, uint32_t *ret_count);
