/*
 * times_paths.h - the paths of calls in one thread: which node a call has, by its caller's.
 *
 * Paths are told apart by `window` methods at most, from the callee outwards. So a call made along
 * a path as long as that may find a node that was made along another path, which began elsewhere.
 * The parents of a node, followed for `window` steps, are its callers in either case. The owner of
 * the paths alone may call this, and the tracker's bytecode reads the table of edges.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_call;
struct times_node;

/** A caller's node and a callee's: sixteen bytes in the tracker's code. */
struct times_edge {
    struct times_node *caller, *callee;
};

struct times_paths {
    struct times_edge *edges; /* by caller and method, once there are many nodes; a hash table */
    int64_t edge_mask;        /* its size, a power of two, less 1 */
    uint32_t edge_count;
    uint32_t full_count;       /* nodes whose path is as long as the window, */
    struct times_node **fulls; /* by all their methods: a hash table */
    uint64_t full_mask;
    struct times_node *root, *newest, *stock;
    uint32_t node_count, window;
};

enum { TIMES_PATHS_HASH_SHIFT = 32 };
#define TIMES_PATHS_HASH_CALLER 0x1e3779b97f4a7c15
#define TIMES_PATHS_HASH_ID 0x42b2ae3d27d4eb4f

/** Where an edge is looked for first: the tracker does the same. */
static inline uint64_t times_paths_hash(const struct times_node *caller, int32_t id)
{
    uint64_t x = (uint64_t)(uintptr_t)caller * TIMES_PATHS_HASH_CALLER;
    x ^= (uint64_t)(int64_t)id * TIMES_PATHS_HASH_ID;
    return x >> TIMES_PATHS_HASH_SHIFT;
}

/** No path yet but that of `root`, which belongs to the caller. */
void times_paths_begin(struct times_paths *p, struct times_node *root, uint32_t window);
/** The node of `id` called by `caller`, if there is one. */
struct times_node *times_paths_find(const struct times_paths *p, const struct times_node *caller,
                                    int32_t id);
/** The same, made if need be; NULL: there is no room. */
struct times_node *times_paths_callee(struct times_paths *p, struct times_node *caller, int32_t id);
/** The node of `id` called by the innermost of `count` open calls, by the methods of these: also if
 * some have shared nodes, which know no callers. */
struct times_node *times_paths_find_open(const struct times_paths *p, const struct times_call *top,
                                         uint32_t count, int32_t id);
/** `n`, made by another thread, becomes the node of its method called by `caller`, for which there
 * is none. Returns 0: there is no room, and nothing has changed. */
int times_paths_adopt(struct times_paths *p, struct times_node *n, struct times_node *caller);
/** Give back the tables and the stock, not the nodes. */
void times_paths_end(struct times_paths *p);
