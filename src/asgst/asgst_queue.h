/*
 * asgst_queue.h - what a queue is, for its two sides.
 *
 * The producers are signal handlers that append stacks (asgst_enqueue.c). The consumer is the
 * helper thread that hands the stacks out (asgst_queue.c).
 *
 * All producers of a queue run on the queue's thread. An element belongs to the producer until the
 * consumer has claimed the element. The consumer claims elements only between two visits of the
 * producer: so an element that a handler has found in the queue does not change, and the handler
 * may write to it, until the handler returns.
 *
 * A room holds the elements. A room is replaced by a room of another capacity only when it is
 * empty. The consumer offers the new room, then the producer takes it, then the producer stores it
 * in `next` of the old room. Because of this order, a signal between two of these steps finds a
 * valid room.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_mark.h"
#include "safe/asgst_ring.h"
#include <asgst.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct asgst_queue_room {
    struct asgst_ring ring;
    struct asgst_queue_room *_Atomic next; /* the room that the producer uses after this one */
    size_t bytes;
};

struct asgst_queue_around {
    ASGST_OnQueueSafepointHandler fun;
    void *arg;
    int options;
    bool offers_iterator;
};

/** The state of the consumer's earlier looks at the same visit. All fields are 0 at first. */
struct asgst_queue_rest {
    uint64_t visit, cpu_ns;
    uint32_t looks;
};

struct _ASGST_Queue {
    struct _ASGST_Queue *next;
    pid_t tid;
    int options;
    ASGST_Handler fun;
    void *arg;
    struct asgst_queue_around before, after;
    struct asgst_mark mark;       /* the mark of the producer's last visit */
    struct asgst_queue_rest rest; /* used by the consumer */
    /* used by the consumer: since when the oldest element waits; 0 none */
    uint64_t waits_since_ns;
    /* the room into which the producer writes; NULL: the queue is closed */
    struct asgst_queue_room *_Atomic write;
    struct asgst_queue_room *read; /* the room from which the consumer reads */
    /* a room of another capacity, for the producer to take */
    struct asgst_queue_room *_Atomic offered;
    atomic_int inside; /* count of producers that may use a room now */
    /* the capacity that ASGST_ResizeQueue() asked for; 0 none */
    atomic_int wanted_size;
    atomic_int attempts;
    bool is_leaving; /* the queue's own handler has deregistered the queue */
};
