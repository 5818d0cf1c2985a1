/*
 * lock_queue.h - what threads were blocked by, until somebody has the time to count it.
 *
 * A thread that has just got what others want must not wait for a dump that is being written: so it
 * only enters here, under a lock that is held for moments. Memory is bounded; what does not fit is
 * refused. Many may put, one at a time takes. Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"
#include "safe/scope.h"

/** One time that a thread was blocked. What the fields mean is the caller's; frames stand behind.
 */
struct lock_queue_entry {
    uint64_t start_ns, end_ns;
    uint64_t address, owner;
    int64_t limit_value;
    void *klass_ref; /* of a class without a number */
    uint32_t klass, thread;
    struct scope_values scopes; /* of the thread at the end */
    uint8_t by, limit;
    bool has_timed_out, is_cut; /* there were more frames */
    uint32_t frame_bytes;
};

struct lock_queue {
    struct lock lock;
    unsigned char *room;
    size_t size;         /* of `room` */
    uint64_t first, end; /* of what waits, counted from the beginning on */
};

/** Errors: 0, -ENOMEM. */
int lock_queue_init(struct lock_queue *q, size_t bytes);
void lock_queue_done(struct lock_queue *q);
/** Put in the entry and a copy of its frames; false: there is no room. Context: any, not signal. */
bool lock_queue_put(struct lock_queue *q, const struct lock_queue_entry *e, const void *frames);
/** Take the oldest out, and its frames, of which there are at most `size` bytes; false: there is
 * none. */
bool lock_queue_take(struct lock_queue *q, struct lock_queue_entry *ret, void *ret_frames,
                     size_t size);
