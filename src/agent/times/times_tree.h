/*
 * times_tree.h - the memory of cpu=times: which method called which, how often and for how long.
 *
 * Each thread has a stack of its open calls and a set of paths, in memory outside the heap. A path
 * is a method and its callers, at most `window` methods, because a row of a table shows no more. An
 * open call (times_paths.h) knows the node of its path, when it was entered, and the time of its
 * callees. When the call ends, its own time and one call are added to the node. So one node serves
 * any number of open calls.
 *
 * A path that finds no room uses the node of its method alone. All threads share this node, and it
 * exists from the moment that the method's class is changed. So whatever memory there is, the count
 * and the own time of every method are exact; only callers can be lost.
 *
 * The tracker's bytecode (times_class.c) does the common steps on this memory itself. This code
 * does the rest: new paths, shared nodes, exceptions, threads that begin and end, and reading
 * everything while it is being written. This code knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/times/times_block.h"
#include "agent/times/times_read.h"

/* of the table that the tracker reads, indexed by the low bits of tid */
enum { TIMES_SLOTS = 65536 };

/** How the trees are kept. */
struct times_tree_config {
    size_t bytes;     /* for nodes and for the tables that find them */
    uint32_t methods; /* numbers of methods are below this */
    bool has_totals;  /* times include callees */
    /**
     * The own clock of a thread, read by a thread that may be another one. NULL: all threads have
     * one clock.
     */
    int64_t (*now_of)(const struct times_cpu *cpu);
};

/**
 * Begin a run, for one recording or several. Memory is reserved once for a process. Later runs use
 * the same memory, and their recordings do not count earlier calls. Errors: 0, -ENOMEM.
 */
int times_tree_init(const struct times_tree_config *config);
/**
 * The run has ended, but classes may still have probes. Until the next times_tree_init(), new
 * threads are not counted, because their end would not be reported.
 */
void times_tree_rest(void);
/**
 * A recording begins at a place below TIMES_NODE_PLACES and counts from here. Errors: 0, -ENOMEM.
 */
int times_tree_join(int place, int64_t now);
/** The recording has ended, or has not joined. */
void times_tree_part(int place);
/** Whether ended threads with a number keep their paths. Call it after times_tree_init(). */
void times_tree_set_per_thread(int per_thread);
/**
 * Paths of new threads are different if they differ in this many innermost methods, at least 1;
 * UINT32_MAX, the initial value: whole paths.
 */
void times_tree_set_window(uint32_t window);
/**
 * The tracker starts from this table: struct times_block *table[TIMES_SLOTS]; no element is NULL.
 */
struct times_block **times_tree_table(void);
/** Make the node of a method. Errors: 0; -ENOMEM: it has none. */
int times_tree_add_method(int32_t id);

/**
 * Free what belongs to threads that have ended between two recordings. Call it after
 * times_tree_thread() was called for each living thread with a number.
 */
void times_tree_sweep(void);

/**
 * The calling thread's block, made if there is none; NULL: the thread has no id yet, or there is no
 * memory.
 */
struct times_block *times_tree_block(int64_t tid);
/** The block of the thread, or NULL; none is made, and nothing is counted. */
struct times_block *times_tree_find(int64_t tid);
/** The node of a call of `id` by the innermost open call; NULL for a method without a node. */
struct times_node *times_tree_callee(struct times_block *b, int32_t id);
/**
 * A call begins. Returns the place of the call for times_tree_leave() and times_tree_unwind(): its
 * distance from the lowest call in bytes, negative if the node is shared. Returns 0 if the call is
 * not counted (`n` is NULL, or no memory for the stack).
 */
int64_t times_tree_enter(struct times_block *b, struct times_node *n, int64_t now);
/**
 * End all calls deeper than the call at `place`, and this call too if `leave`. Does nothing if that
 * call is not open.
 */
void times_tree_unwind(struct times_block *b, int64_t place, int leave, int64_t now);
/**
 * Take `time` off the innermost open call: it was the tracker's work in native code, not the
 * call's. That work finds out that a path has no room, and no calibration can know its length
 * beforehand. Does nothing if times include callees. Context: the block's thread.
 */
void times_tree_spend(struct times_block *b, int64_t time);
/** Whether the innermost open call has not called this method along its path yet. */
bool times_tree_is_new(const struct times_block *b, int32_t id);
/** The methods of the open calls, outermost first, `max` at most. Returns how many are open. */
uint32_t times_tree_open(const struct times_block *b, int32_t *ret_ids, uint32_t max);
/** End the innermost `calls` open calls. */
void times_tree_cut(struct times_block *b, uint32_t calls, int64_t now);
/** Rows show this thread as `thread`. */
void times_tree_thread(int64_t tid, uint32_t thread);
/** The thread ends, and its open calls end now. Called on the thread itself. */
void times_tree_end(int64_t tid, int64_t now);

/** How many innermost methods tell paths apart at least; UINT32_MAX: whole paths. */
uint32_t times_tree_window(void);
/**
 * Copy all nodes while the threads go on, for a recording that has joined. `*ret_rows` comes from
 * malloc(); the caller frees it. Errors: 0, -ENOMEM.
 */
int times_tree_read(const struct times_reading *how, struct times_row **ret_rows,
                    uint32_t *ret_count);
/**
 * The times of calls that have ended in this run, for each method below `methods`; *ret is all zero
 * before.
 */
void times_tree_read_spreads(struct times_method_spread *ret, uint32_t methods);
/** Calls that are not counted: of threads without an id, or without memory for their stack. */
uint64_t times_tree_lost(void);
/** How many nodes of paths are in use. */
uint32_t times_tree_nodes(void);
