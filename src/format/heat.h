/*
 * heat.h - when the stacks of a flame graph were seen: values by cells of time, packed as text.
 *
 * A page that shows time contains such a text (flame.c, docs/format/flamegraph.md). A day of
 * samples in cells of 20 ms takes two to three bytes for each sample. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sink;

struct heat_entry {
    uint32_t cell, node;
    uint64_t value;
};

struct heat {
    uint64_t first_ns, cell_ns;
    uint32_t cells;
    struct heat_entry *list;
    size_t count, room;
};

/** Divide the time from the first moment to the last into at most `cells_most` cells of 20 ms or
 * more. */
void heat_init(struct heat *h, uint64_t first_ns, uint64_t last_ns, uint32_t cells_most);
void heat_done(struct heat *h);
/** Add a value of a node. The time must not be before the first moment or after the last. Errors:
 * 0; -ENOMEM. */
int heat_add(struct heat *h, uint32_t node, uint64_t time_ns, uint64_t value);
/**
 * Writes {"start":...}. Call it once. numbers[N] is the number that the page gives to node N; nodes
 * are numbered 1 .. `nodes`. Errors: 0; -ENOMEM.
 */
int heat_put(struct heat *h, struct sink *s, const uint32_t *numbers, uint32_t nodes);
