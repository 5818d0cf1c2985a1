/*
 * sample_room.h - the memory for samples of one depth: the ring, and one stack that is taken from
 * the ring.
 *
 * This memory is separate because the depth can change while the program runs. Context: any, not
 * signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct options;
struct tick_sample;

struct sample_room {
    void *ring; /* zeroed, for ring_init() */
    size_t ring_bytes, payload_bytes;
    frame_id *frames, *plain; /* one stack, and the same stack's frames without kinds */
    size_t frames_bytes;      /* of `frames` and `plain` together */
    struct tick_sample *late; /* for a stack that is requested after its sample */
};

/** Errors: 0, or negative after a message. Owner: sample_room_unmap(). */
int sample_room_map(const struct options *o, uint32_t depth, struct sample_room *ret);
void sample_room_unmap(struct sample_room *room);
/** Zeroed pages, or NULL. */
void *sample_room_pages(size_t bytes);
