/*
 * times_node.h - the nodes of cpu=times and their memory.
 *
 * Nodes of paths come from one arena. They never move, and a thread takes several at a time. Nodes
 * of methods, which all threads share, are in a table by the method's number. Each node has a
 * spread beside it. The tables that find paths (times_paths.h) have memory of their own, which is
 * counted here. Any thread may call these functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ids of nodes that are not methods. */
enum times_id {
    TIMES_ROOT = -1, /* a thread */
    TIMES_FREE = -2,
    TIMES_NONE = -3,
    TIMES_PROBE = -4, /* the tracker's calibration */
};

/** The node of one path; it fills one line of the processor's cache. */
struct times_node {
    int64_t count; /* calls that have ended */
    int64_t time;  /* their time without callees; with callees if there are totals */
    /* the calls that they made; with totals also the calls that these made */
    int64_t made;
    struct times_node *last;   /* the callee that was entered last; never NULL */
    struct times_node *parent; /* the caller; a root is its own parent */
    struct times_node *next;   /* of the same thread, in the order of making */
    int32_t id;                /* the method's number */
    uint32_t length;           /* count of methods of the path; 0 for a root */
    uint32_t thread;           /* of a root: the thread's number, 0 unknown */
    uint32_t unused;
};

/** The times of a node's ended calls, each with its callees; all 0: no call has ended. */
struct times_spread {
    int64_t total;
    int64_t most;
    int64_t shortest; /* INT64_MAX minus the shortest time, so that this value only grows too */
    int64_t unused;
};

enum {
    TIMES_SPREAD_SHIFT = 1, /* of recordings: each one counts from its own beginnings */
    TIMES_NODE_PLACES = 8,
}; /* of recordings: each counts from its own beginnings */

/** The values of a node when a recording began, or at its last clearing. */
struct times_node_base {
    int64_t count, time, made;
};

/** The tracker uses this node in place of NULL; the node's id is TIMES_NONE. */
extern struct times_node times_node_none;

/** Reserve `bytes` in all, and the nodes of `methods` methods. Errors: 0, -ENOMEM. */
int times_node_init(size_t bytes, uint32_t methods);
/** Take a node from `*stock`, which is refilled when it is empty; NULL: there is no room. */
struct times_node *times_node_take(struct times_node **stock);
/**
 * The node for the calibration, TIMES_PROBE, which exists even if there is no room. One thread at a
 * time calls this; the node is in no view.
 */
struct times_node *times_node_probe(void);
/** Whether times_node_take() may find a node. */
bool times_node_has_room(struct times_node *const *stock);
/** Free a list of nodes that are linked by `next`. */
void times_node_give(struct times_node *list);
/** Reserve room for a table; 0: there is none. times_node_give_bytes() gives it back. */
int times_node_take_bytes(size_t bytes);
void times_node_give_bytes(size_t bytes);

/** A recording begins: from now on each node has a base for it, all 0. Errors: 0, -ENOMEM. */
int times_node_join(int place);
/** The recording has ended, or has not joined. Its bases are not read any more. */
void times_node_part(int place);
/**
 * Whether a recording at this place has joined. The caller must keep recordings from joining and
 * parting.
 */
bool times_node_has_joined(int place);

/** Make the node of a method. Errors: 0, -ENOMEM. */
int times_node_add_method(int32_t id);
/** The node of a method; NULL: it has none. */
struct times_node *times_node_of_method(int32_t id);
bool times_node_is_shared(const struct times_node *n);
/**
 * Count `calls` ended calls. Other threads may read the node meanwhile, and also write it if it is
 * shared.
 */
void times_node_add(struct times_node *n, int64_t calls, int64_t time, int64_t made);

/**
 * The spread of a node of a path is at this address plus (the node's address >>
 * TIMES_SPREAD_SHIFT).
 */
int64_t times_node_spreads(void);
/** The spread of a node that is not a root. */
struct times_spread *times_node_spread(const struct times_node *n);
/**
 * Add the calls of `more` to the node's spread. Other threads may read the spread meanwhile, and
 * also write it if the node is shared.
 */
void times_node_add_spread(struct times_node *n, const struct times_spread *more);
/** Add a call of the node that has taken `took` to the spread. */
void times_node_add_call(struct times_node *n, int64_t took);
/** Forget all calls of methods. No recording may have joined. */
void times_node_forget_calls(void);

/**
 * The nodes that existed at one moment, by index: first the nodes of paths, then those of methods.
 */
struct times_node_view {
    uint32_t paths, count;
};

struct times_node_view times_node_view(void);
struct times_node *times_node_at(struct times_node_view v, uint32_t i);
/** The base of a node for a recording that has joined. */
struct times_node_base *times_node_base_at(struct times_node_view v, int place, uint32_t i);
/** The index of a node; UINT32_MAX: a root, or a node that was made later. */
uint32_t times_node_index(struct times_node_view v, const struct times_node *n);
/** How many nodes of paths are not free. */
uint32_t times_node_used(void);
