/*
 * times_paths.h - the paths of calls in one thread: finds the node of a call from the node of its
 * caller.
 *
 * Two paths are different if they differ in their innermost `window` methods. So a call at the end
 * of a path of that length may find a node that was made along a path which began elsewhere. In
 * both cases the parents of the node, followed for `window` steps, are the callers. Only the owner
 * of the paths may call these functions; the tracker's bytecode reads the table of edges.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_node;

/** One open call. The lowest entry of a stack stands for the thread itself. */
struct times_call {
    struct times_node *node;
    int64_t entered; /* in units of the clock */
    int64_t child;   /* the time of its callees that have ended */
    int64_t made;    /* how many callees have ended; with totals also the calls that these made */
};

/** The nodes of a caller and a callee: sixteen bytes, as the tracker's code expects. */
struct times_edge {
    struct times_node *caller, *callee;
};

struct times_paths {
    /* a hash table by caller and method, used once there are many nodes */
    struct times_edge *edges;
    int64_t edge_mask; /* size of the table, a power of two, minus 1 */
    uint32_t edge_count;
    uint32_t full_count;       /* nodes whose path is as long as the window */
    struct times_node **fulls; /* those nodes in a hash table by all their methods */
    uint64_t full_mask;
    struct times_node *root, *newest, *stock;
    uint32_t node_count, window;
};

enum { TIMES_PATHS_HASH_SHIFT = 32 };
#define TIMES_PATHS_HASH_CALLER 0x1e3779b97f4a7c15
#define TIMES_PATHS_HASH_ID 0x42b2ae3d27d4eb4f

/** The first place where an edge is looked for; the tracker computes the same. */
static inline uint64_t times_paths_hash(const struct times_node *caller, int32_t id)
{
    uint64_t x = (uint64_t)(uintptr_t)caller * TIMES_PATHS_HASH_CALLER;
    x ^= (uint64_t)(int64_t)id * TIMES_PATHS_HASH_ID;
    return x >> TIMES_PATHS_HASH_SHIFT;
}

/** Begin with no path except that of `root`, which belongs to the caller. */
void times_paths_begin(struct times_paths *p, struct times_node *root, uint32_t window);
/** The node of `id` called by `caller`, or NULL. */
struct times_node *times_paths_find(const struct times_paths *p, const struct times_node *caller,
                                    int32_t id);
/** The node of `id` called by `caller`, made if there is none; NULL: there is no room. */
struct times_node *times_paths_callee(struct times_paths *p, struct times_node *caller, int32_t id);
/**
 * The node of `id` called by the innermost of `count` open calls, found by the methods of these
 * calls. This also works if some calls have shared nodes, which know no callers.
 */
struct times_node *times_paths_find_open(const struct times_paths *p, const struct times_call *top,
                                         uint32_t count, int32_t id);
/**
 * Make `n`, a node of another thread, the node of its method called by `caller`, which has none for
 * it. Returns 0: there is no room, and nothing has changed.
 */
int times_paths_adopt(struct times_paths *p, struct times_node *n, struct times_node *caller);
/** Free the tables and the stock, but not the nodes. */
void times_paths_end(struct times_paths *p);
/**
 * Add the nodes of `from`, in the order of making, to the equal nodes of `dead`. A node without an
 * equal one becomes a node of `dead`. Returns the nodes that are free now, for times_node_give().
 */
struct times_node *times_paths_merge(struct times_paths *dead, struct times_paths *from);
