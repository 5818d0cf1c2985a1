/*
 * times_tree.h - the calling-context trees of cpu=times: one a thread, in memory outside the heap.
 *
 * A node is a method called along one path of calls. It has at most one activation at a time, so
 * entering subtracts the clock from its time and leaving adds it: no shadow stack. `time` is
 * negative exactly while the node is active, because the clock never reads less than what a node
 * can have collected. The current node is the top of the stack, its parents the rest.
 *
 * The bytecode of the tracker (times_class.c) does the common steps on this memory itself; what is
 * here is the rest: new nodes, exceptions, threads that begin and end, and reading it all while it
 * is being written. Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/** Ids of nodes that are no method. */
enum times_id {
    TIMES_ROOT = -1,
    TIMES_FREE = -2,
    TIMES_NONE = -3,
    TIMES_PROBE = -4, /* the tracker's calibration */
};

struct times_node {
    int64_t count;
    int64_t time;    /* in units of the clock */
    int64_t entered; /* when the last activation began */
    struct times_node *parent;
    struct times_node *last; /* the child that was entered last */
    int32_t id;              /* the method's number */
    uint32_t thread;         /* of a root: whose tree it is, 0 unknown */
    struct times_node *next; /* of the same thread, in the order of making */
    int64_t base_count;      /* calls that had ended at the last clearing */
};

struct times_block { /* a thread */
    int64_t tid;     /* Thread.tid */
    struct times_node *cur;
    struct times_node *root, *newest, *stock;
    struct times_node **hash; /* by parent and id, once there are many; see times_tree_hash() */
    int64_t hash_mask;        /* its size, a power of two, less 1 */
    uint32_t node_count;
    struct times_block *chain, *next;
    int is_ended;
    int32_t os_thread; /* that it ended on */
};

enum { TIMES_SLOTS = 65536 }; /* of the table that the tracker reads, by the low bits of tid */

/** One node as it was at the time of reading: calls that have ended since the last clearing, and
 * the one that has not. Times are in units of the clock, never negative. */
struct times_row {
    uint32_t parent; /* index of a row; of a root its own */
    int32_t id;      /* TIMES_FREE: no node */
    uint32_t thread; /* of a root */
    int is_open;     /* an activation has not ended */
    int64_t calls;
    int64_t time;      /* with callees */
    int64_t self;      /* without */
    int64_t open_self; /* of the open one, since it began */
};

/**
 * Reserve memory for trees of `bytes` bytes in all, and to count the calls of `methods` methods.
 * `per_thread`: trees of threads that have ended are kept apart, if the thread is known by
 * times_tree_thread(). Errors: 0, -ENOMEM.
 */
int times_tree_init(size_t bytes, uint32_t methods, int per_thread);
/** What the tracker starts from: struct times_block *table[TIMES_SLOTS], never NULL inside. */
struct times_block **times_tree_table(void);

enum { TIMES_HASH_SHIFT = 32 };
#define TIMES_HASH_PARENT 0x1e3779b97f4a7c15
#define TIMES_HASH_ID 0x42b2ae3d27d4eb4f

/** Where a child is looked for first: the tracker does the same. */
static inline uint64_t times_tree_hash(const struct times_node *parent, int32_t id)
{
    uint64_t x = (uint64_t)(uintptr_t)parent * TIMES_HASH_PARENT;

    x ^= (uint64_t)(int64_t)id * TIMES_HASH_ID;
    return x >> TIMES_HASH_SHIFT;
}

/** The block of a thread, made if need be; NULL: a thread that has no id yet, or no memory. */
struct times_block *times_tree_block(int64_t tid);
/** The child of b->cur; NULL when memory is used up: then the call is counted as unplaced. */
struct times_node *times_tree_child(struct times_block *b, int32_t id);
/**
 * An exception has ended all activations deeper than that of `node`, and this one too if `leave`.
 * Nothing happens if `node` is not active in this thread.
 */
void times_tree_unwind(struct times_block *b, struct times_node *node, int leave, int64_t now);
/** Whether b->cur has no child for this method yet, and there is memory for one. */
int times_tree_is_new(const struct times_block *b, int32_t id);
/** The methods of the open calls, outermost first, `max` at most. Returns how many are open. */
uint32_t times_tree_open(const struct times_block *b, int32_t *ret_ids, uint32_t max);
/** The innermost `calls` open calls have ended. */
void times_tree_cut(struct times_block *b, uint32_t calls, int64_t now);
/** What `thread` stands for in rows is this thread. */
void times_tree_thread(int64_t tid, uint32_t thread);
/** The thread has ended: its activations end now. Called on the thread itself. */
void times_tree_end(int64_t tid, int64_t now);

/**
 * Copy all nodes while the threads go on; `clear`: the next rows count from here. `now` is 0 where
 * there are no times. `*ret_rows` is malloc'ed, the caller frees it. Errors: 0, -ENOMEM.
 *
 * What a call that has not ended did so far in its own code, and not in callees, is known where it
 * is the first of its node; else it is at most the time from its beginning to that of the callee
 * that runs now, and more is not taken.
 */
int times_tree_read(int64_t now, int clear, struct times_row **ret_rows, uint32_t *ret_count);
/** Calls of a method for which there was no node, since this was last asked: it is 0 again. */
uint64_t times_tree_take_unplaced(int32_t id);
/** Calls that are counted nowhere: of threads without an id or a tree. */
uint64_t times_tree_lost(void);
/** Nodes in use. */
uint32_t times_tree_nodes(void);
