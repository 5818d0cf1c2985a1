/*
 * levels.h - how much memory and how many processors a process used, from moment to moment.
 *
 * A part of the model (profile_levels()), in its arena, for those who draw time: a level is no
 * event, and nothing is a sum of them. Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/table.h"

struct arena;

enum level_kind {
    LEVEL_HEAP,     /* bytes of it in use */
    LEVEL_RESIDENT, /* bytes of memory */
    LEVEL_CPU,      /* millionths of all processors, of the time since the level before */
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
    uint64_t lost; /* that found no room */
};

void levels_init(struct levels *l, struct arena *arena);
void levels_add(struct levels *l, const struct level *level);
uint32_t levels_count(const struct levels *l);
/** Level 1 .. levels_count(), in the order in which they were added. */
const struct level *levels_at(const struct levels *l, uint32_t number);
