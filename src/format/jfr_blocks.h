/*
 * jfr_blocks.h - joins the events of blocks of native memory: which were allocated and not freed.
 *
 * profiler.Malloc and profiler.Free name a block by its address. Events of one chunk may stand in
 * any order, so those of a chunk are sorted by time before they are joined. Between chunks only the
 * blocks that are held are kept. If an address is allocated again, the block before has ended,
 * whether or not its end was seen. Address 0 says that nobody would have seen the end; such a block
 * never counts as held.
 *
 * If the recording says at which distance blocks were sampled (jdk.ActiveSetting "interval" of
 * profiler.Malloc), the values of an event are those for which its block stands (base/sampled.h).
 * async-profiler's recordings do not say it; there a block stands for itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct jfr_blocks_event;
struct jfr_blocks_held;
struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct jfr_value;
struct profile;

/** All zero: no blocks. */
struct jfr_blocks {
    struct profile *profile;         /* to which the traces of `held` belong; borrowed */
    struct jfr_blocks_event *events; /* of the present chunk */
    size_t event_count, event_room;
    struct jfr_blocks_held *held; /* until the chunk ends, also those that were freed in it */
    size_t held_count, held_room;
    enum kind_id kind; /* of the blocks, after the first */
    uint64_t interval; /* 0: not said */
    int error;         /* 0 or -ENOMEM */
};

void jfr_blocks_done(struct jfr_blocks *b);
/** A chunk begins. If the profile is another one than before, its blocks are forgotten. */
void jfr_blocks_begin(struct jfr_blocks *b, struct profile *profile);
/** Take a jdk.ActiveSetting of the chunk. */
void jfr_blocks_setting(struct jfr_blocks *b, const struct jfr_chunk *c,
                        const struct jfr_type *type, const struct jfr_record *record);
/** A block was allocated: weigh the values of `e`, and remember the block. */
void jfr_blocks_made(struct jfr_blocks *b, const struct jfr_chunk *c,
                     const struct jfr_value *object, struct event *e);
/** A block was freed. */
void jfr_blocks_freed(struct jfr_blocks *b, const struct jfr_chunk *c,
                      const struct jfr_value *object);
/** The chunk has been read: join its events. */
void jfr_blocks_join(struct jfr_blocks *b);
/**
 * Count the blocks that are held, each with the time at which it was allocated.
 * Errors: 0; -ENOMEM; those of profile_count().
 */
int jfr_blocks_tell(const struct jfr_blocks *b, bool with_times);
