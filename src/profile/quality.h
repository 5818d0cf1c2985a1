/*
 * quality.h - the counts by which a profile says how far it can be trusted.
 *
 * quality.def has a row for each count: its word in files, what it means, what the user can do.
 * The agent sets counts by number and the model keeps them by word (tally.h), because a file of
 * another version may hold counts that are not in the list.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct profile;
struct profile_quality;

/** The numbers hold in this program alone. */
enum quality {
#define QUALITY(id, name, line, words, meaning, advice) QUALITY_##id,
#include "profile/quality.def"
#undef QUALITY
    QUALITY_COUNT,
    QUALITY_WALK = QUALITY_WALK_NO_JAVA_FRAME, /* plus an enum walk_cause: why a walk failed */
};

/** A count and its value. */
struct quality_count {
    enum quality which;
    uint64_t count;
};

/** The word in files: "lost_ring_full". Context: any. Owner: static. */
const char *quality_name(enum quality which);
/** The count that files call so; QUALITY_COUNT if this version has none. Context: any. */
enum quality quality_named(const char *name);
/** The count among `count` rows of a tally; 0 if there is none. Context: any. */
uint64_t quality_among(const struct profile_quality *rows, uint32_t count, enum quality which);
/** The count in the profile; 0 if the profile has none. Context: any. */
uint64_t quality_value(const struct profile *profile, enum quality which);
