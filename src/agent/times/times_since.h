/*
 * times_since.h - the calls that were open when a recording began.
 *
 * The time of such a call before the recording began does not count for the recording. While the
 * call is open, it is known by its place on its thread's stack. When it has ended, its node has all
 * of its time, so the earlier part is added to the node's base. This is a part of times_tree.c; the
 * caller holds its lock.
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
    int64_t time, made; /* until then; `time` is the part that the node will get */
};

/** The open calls of one thread, outermost first. */
struct times_since {
    struct times_since *next;
    int64_t tid;
    uint32_t count;
    struct times_since_call calls[];
};

/** Note the open calls of a thread at the head of a list. Errors: 0, -ENOMEM. */
int times_since_take(struct times_since **list, const struct times_block *b, int64_t now,
                     bool has_totals);
/** The notes of a thread in a list; NULL: there are none. */
struct times_since *times_since_find(struct times_since *list, int64_t tid);
/** Forget calls that have ended and whose time no recording has counted. */
void times_since_drop(struct times_since *s, const struct times_block *b);
/**
 * Forget calls that have ended and whose nodes have their time; the earlier part is added to the
 * recording's bases.
 */
void times_since_settle(struct times_since *s, const struct times_block *b,
                        struct times_node_view v, int place);
/**
 * The note of what the call at place `i` (from 0) of the thread's stack had taken before; NULL: the
 * call began later.
 * `s` may be NULL.
 */
const struct times_since_call *times_since_of(const struct times_since *s, uint32_t i,
                                              const struct times_call *call);
void times_since_free(struct times_since *list);
