/*
 * asgst_queue.h - what a queue is, for the two sides of it: handlers that put stacks in
 * (asgst_enqueue.c), and the helper thread that hands them out (asgst_queue.c).
 *
 * The producer's side is the queue's thread alone. An element belongs to the producer until the
 * consumer has claimed it, and that it may only between two visits of the producer: so what a
 * handler finds in the queue stays what it was, and writable, until the handler returns. A room is
 * replaced by one of another capacity only when it is empty: the consumer offers the new one, the
 * producer takes it and says so in the old one's `next`, in this order, so that a signal between
 * two of these steps finds a room that stays. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_mark.h"
#include "asgst/asgst_rest.h"
#include "safe/asgst_ring.h"
#include <asgst.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct asgst_queue_room {
    struct asgst_ring ring;
    struct asgst_queue_room *_Atomic next; /* the room that the producer went on to */
    size_t bytes;
};

struct asgst_queue_around {
    ASGST_OnQueueSafepointHandler fun;
    void *arg;
    int options;
    bool offers_iterator;
};

struct _ASGST_Queue {
    struct _ASGST_Queue *next;
    pid_t tid;
    int options;
    ASGST_Handler fun;
    void *arg;
    struct asgst_queue_around before, after;
    struct asgst_mark mark;                   /* of the producer's last visit */
    struct asgst_rest rest;                   /* the consumer's */
    uint64_t waits_since_ns;                  /* the consumer's: the oldest element; 0 none */
    struct asgst_queue_room *_Atomic write;   /* the producer's; NULL: closed */
    struct asgst_queue_room *read;            /* the consumer's */
    struct asgst_queue_room *_Atomic offered; /* another capacity, for the producer to take */
    atomic_int inside;                        /* producers that may hold a room */
    atomic_int wanted_size;                   /* ASGST_ResizeQueue(), 0 none */
    atomic_int attempts;
    bool is_leaving; /* deregistered by its own handler */
};
