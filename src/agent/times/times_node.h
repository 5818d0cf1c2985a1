/*
 * times_node.h - the nodes of cpu=times and the room they have.
 *
 * Nodes of paths come from one arena; they are never moved, and a thread takes some at a time.
 * Nodes of methods, which all threads share, stand in a table by the method's number. Beside each
 * node is its spread. What finds paths (times_paths.h) has room of its own, which is asked for
 * here. Any thread may call this. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ids of nodes that are no method. */
enum times_id {
    TIMES_ROOT = -1, /* a thread */
    TIMES_FREE = -2,
    TIMES_NONE = -3,
    TIMES_PROBE = -4, /* the tracker's calibration */
};

/** One path: one line of the processor's cache. */
struct times_node {
    int64_t count;           /* calls that have ended */
    int64_t time;            /* what they took without callees, with these if there are totals */
    int64_t made;            /* the calls that they made; with totals also those that these made */
    struct times_node *last; /* of the callee that was entered last, never NULL */
    struct times_node *parent; /* of its caller; a root's is itself */
    struct times_node *next;   /* of the same thread, in the order of making */
    int32_t id;                /* the method's number */
    uint32_t length;           /* methods of the path; 0 a root */
    uint32_t thread;           /* of a root: whose paths these are, 0 unknown */
    uint32_t unused;
};

/** What the calls of a node took that have ended, each with its callees; all 0: there was none. */
struct times_spread {
    int64_t total;
    int64_t most;
    int64_t shortest; /* INT64_MAX less what the shortest one took, so that it only grows too */
    int64_t unused;
};

enum {
    TIMES_SPREAD_SHIFT = 1, /* a spread is half as large as a node */
    TIMES_NODE_PLACES = 8,
}; /* of recordings: each counts from its own beginnings */

/** What a node had when a recording began, or at its last clearing. */
struct times_node_base {
    int64_t count, time, made;
};

/** Instead of NULL, for the tracker; its id is TIMES_NONE. */
extern struct times_node times_node_none;

/** Room of `bytes` in all, and for the nodes of `methods` methods. Errors: 0, -ENOMEM. */
int times_node_init(size_t bytes, uint32_t methods);
/** A node from `*stock`, which is filled when it is empty; NULL: there is no room. */
struct times_node *times_node_take(struct times_node **stock);
/** The node that is kept for the calibration, TIMES_PROBE, whatever room there is. One thread at a
 * time calls it; it is in no view. */
struct times_node *times_node_probe(void);
/** Whether times_node_take() may find one. */
bool times_node_has_room(struct times_node *const *stock);
/** Nodes that hang together by `next` are free again. */
void times_node_give(struct times_node *list);
/** Room for a table; 0: there is none. What is taken is given back by times_node_give_bytes(). */
int times_node_take_bytes(size_t bytes);
void times_node_give_bytes(size_t bytes);

/** A recording begins: from now on nodes have a base for it, which is 0. Errors: 0, -ENOMEM. */
int times_node_join(int place);
/** The recording has ended, or has not joined. No base of it is read. */
void times_node_part(int place);
/** Whether a recording at this place has joined. Needs what keeps recordings from joining and
 * parting. */
bool times_node_has_joined(int place);

/** Make the node of a method. Errors: 0, -ENOMEM. */
int times_node_add_method(int32_t id);
/** The node of a method; NULL: it has none. */
struct times_node *times_node_of_method(int32_t id);
bool times_node_is_shared(const struct times_node *n);
/** `calls` calls have ended. Other threads may read the node, and write it if it is shared. */
void times_node_add(struct times_node *n, int64_t calls, int64_t time, int64_t made);

/** The spread of a node of a path is at this plus the node's address >> TIMES_SPREAD_SHIFT. */
int64_t times_node_spreads(void);
/** The spread of a node that is no root. */
struct times_spread *times_node_spread(const struct times_node *n);
/** The calls of `more` are the node's too. Other threads may read the spread, and write it if the
 * node is shared. */
void times_node_add_spread(struct times_node *n, const struct times_spread *more);
/** A call of the node that took so long has ended. */
void times_node_add_call(struct times_node *n, int64_t took);
/** No method has been called yet. Needs that no recording has joined. */
void times_node_forget_calls(void);

/** The nodes there were at one moment, by index: those of paths, then those of methods. */
struct times_node_view {
    uint32_t paths, count;
};

struct times_node_view times_node_view(void);
struct times_node *times_node_at(struct times_node_view v, uint32_t i);
/** Of a recording that has joined. */
struct times_node_base *times_node_base_at(struct times_node_view v, int place, uint32_t i);
/** The index of a node; UINT32_MAX: a root, or made later. */
uint32_t times_node_index(struct times_node_view v, const struct times_node *n);
/** Nodes of paths that are not free. */
uint32_t times_node_used(void);
