/*
 * levels.h - how much memory and processor time a process used, over time.
 *
 * A part of the model (profile_levels()) in its arena, for programs that draw time. A level is no
 * event and is in no sum. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/table.h"

struct arena;

enum level_kind {
    LEVEL_HEAP,     /* bytes of the Java heap in use */
    LEVEL_RESIDENT, /* resident bytes of memory */
    /* share of all processors since the level before, in millionths */
    LEVEL_CPU,
    LEVEL_KINDS,
};

struct level {
    enum level_kind kind;
    process_id process; /* 0: unknown */
    uint64_t time_ns;   /* since the epoch */
    uint64_t value;
};

struct levels {
    struct arena *arena; /* the model's */
    struct table rows;
    uint64_t lost; /* levels that found no room */
};

void levels_init(struct levels *l, struct arena *arena);
void levels_add(struct levels *l, const struct level *level);
uint32_t levels_count(const struct levels *l);
/** Level 1 to levels_count(), in the order in which they were added. */
const struct level *levels_at(const struct levels *l, uint32_t number);
