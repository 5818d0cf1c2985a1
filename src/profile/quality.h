/*
 * quality.h - the counts that tell how far a profile can be trusted.
 *
 * quality.def has a row for each count: its word in files, its meaning, and what the user can do.
 * The agent sets counts by number, but the model keeps them by word (tally.h), because a file of
 * another version may hold counts that are not in the list.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct profile;
struct profile_quality;

/** The numbers are used only inside this program; no file holds them. */
enum quality {
#define QUALITY(id, name, line, words, meaning, advice) QUALITY_##id,
#include "profile/quality.def"
#undef QUALITY
    QUALITY_COUNT,
    /* add an enum walk_cause to get the count for that cause of a failed walk */
    QUALITY_WALK = QUALITY_WALK_NO_JAVA_FRAME,
};

/** A count and its value. */
struct quality_count {
    enum quality which;
    uint64_t count;
};

/** The word in files: "lost_ring_full". Context: any. Owner: static. */
const char *quality_name(enum quality which);
/** The count with this word in files; QUALITY_COUNT: this version has none. Context: any. */
enum quality quality_named(const char *name);
/** The value of the count among `count` rows of a tally; 0 if it is not there. Context: any. */
uint64_t quality_among(const struct profile_quality *rows, uint32_t count, enum quality which);
/** The value of the count in the profile; 0 if it is not there. Context: any. */
uint64_t quality_value(const struct profile *profile, enum quality which);
