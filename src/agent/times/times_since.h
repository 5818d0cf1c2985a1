/*
 * times_since.h - the calls that were under way when a recording began.
 *
 * What such a call had taken by then is not the recording's. While the call is open, that is known
 * by its place on its thread's stack; when it has ended, its node has all of its time, so what came
 * before goes to the node's base. A part of times_tree.c, whose lock is held by who calls this.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_node.h"

struct times_block;
struct times_call;

struct times_since_call {
    struct times_node *node;
    int64_t entered;
    int64_t time, made; /* by then; the time is what the node will be given of it */
};

/** Of one thread, outermost first. */
struct times_since {
    struct times_since *next;
    int64_t tid;
    uint32_t count;
    struct times_since_call calls[];
};

/** Put the open calls of a thread at the head of a list. Errors: 0, -ENOMEM. */
int times_since_take(struct times_since **list, const struct times_block *b, int64_t now,
                     bool has_totals);
/** The thread's place in a list; NULL: it has none. */
struct times_since *times_since_find(struct times_since *list, int64_t tid);
/** The calls that are not open any more are forgotten: nobody has counted their time. */
void times_since_drop(struct times_since *s, const struct times_block *b);
/** The same, but their nodes have their time: the recording's bases get what came before. */
void times_since_settle(struct times_since *s, const struct times_block *b,
                        struct times_node_view v, int place);
/** What the call at place `i` of the thread's stack, from 0, had taken before; NULL: it began
 * later. `s` may be NULL. */
const struct times_since_call *times_since_of(const struct times_since *s, uint32_t i,
                                              const struct times_call *call);
void times_since_free(struct times_since *list);
