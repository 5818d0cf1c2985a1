/*
 * times_tree.h - who called whom, how often and for how long: the memory of cpu=times.
 *
 * Each thread has a stack of its open calls and a set of paths, in memory outside the heap. A path
 * is a method and its callers, `window` methods at most, for a row of a table names no more. An
 * open call (times_call.h) knows its path's node, when it was entered, and what its callees took;
 * when it ends its own time and its count go to the node. So one node serves any number of open
 * calls.
 *
 * A path that finds no room has the node of its method alone, which all threads share and which is
 * there for each method from the moment that its class is changed: whatever memory there is, the
 * count and the own time of every method are exact. Only callers can be lost.
 *
 * The bytecode of the tracker (times_code.c) does the common steps on this memory itself; what is
 * here is the rest: new paths, shared nodes, exceptions, threads that begin and end, and reading it
 * all while it is being written. Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/times/times_block.h"
#include "agent/times/times_read.h"

enum { TIMES_SLOTS = 65536 }; /* of the table that the tracker reads, by the low bits of tid */

/** How trees are kept. */
struct times_tree_config {
    size_t bytes;     /* of nodes and of the tables that find them */
    uint32_t methods; /* there are no more numbers of methods than that */
    bool has_totals;  /* times are with callees */
    /** The thread's own time when it is not that of all, by a thread that may be another; NULL: it
     * is. */
    int64_t (*now_of)(const struct times_cpu *cpu);
};

/**
 * Begin a run, for one recording or several. Memory is reserved once for a process; the next runs
 * have the same, and no recording of theirs counts what was called before. Errors: 0, -ENOMEM.
 */
int times_tree_init(const struct times_tree_config *config);
/** The run has ended, while classes may have probes: threads that are new are counted nowhere, for
 * nobody tells of their end. Until the next times_tree_init(). */
void times_tree_rest(void);
/** A recording begins at a place below TIMES_NODE_PLACES: it counts from here. Errors: 0, -ENOMEM.
 */
int times_tree_join(int place, int64_t now);
/** The recording has ended, or has not joined. */
void times_tree_part(int place);
/** Whether ended threads that have a number keep their paths. After times_tree_init(). */
void times_tree_set_per_thread(int per_thread);
/** The paths of threads that come are told apart by so many methods, 1 at least; UINT32_MAX, as it
 * is at first: whole paths. */
void times_tree_set_window(uint32_t window);
/** What the tracker starts from: struct times_block *table[TIMES_SLOTS], never NULL inside. */
struct times_block **times_tree_table(void);
/** There is a node for this method from now on. Errors: 0, -ENOMEM: there will be none. */
int times_tree_add_method(int32_t id);

/** What stands for threads that have ended between two recordings is free again. Called when
 * times_tree_thread() has been called for each thread with a number that there is. */
void times_tree_sweep(void);

/** The calling thread's block, made if need be; NULL: it has no id yet, or no memory. */
struct times_block *times_tree_block(int64_t tid);
/** The same, but never made, and nothing is counted. */
struct times_block *times_tree_find(int64_t tid);
/** The node of a call of `id` by the innermost open call; NULL for a method without any. */
struct times_node *times_tree_callee(struct times_block *b, int32_t id);
/**
 * A call begins. Returns what times_tree_leave() and times_tree_unwind() take: its place above the
 * lowest one in bytes, negative if the node is shared; 0 if it is not counted (`n` is NULL, or no
 * memory for the stack).
 */
int64_t times_tree_enter(struct times_block *b, struct times_node *n, int64_t now);
/**
 * All calls deeper than that at `place` have ended, and this one too if `leave`. Nothing happens if
 * it is not open.
 */
void times_tree_unwind(struct times_block *b, int64_t place, int leave, int64_t now);
/**
 * The innermost open call has not worked in that time: the tracker did, in native code. That is how
 * long it takes to find out that a path has no room, which no calibration can know beforehand.
 * Nothing where times are with callees. Context: the block's thread.
 */
void times_tree_spend(struct times_block *b, int64_t time);
/** Whether the innermost open call has not called this method along its path yet. */
bool times_tree_is_new(const struct times_block *b, int32_t id);
/** The methods of the open calls, outermost first, `max` at most. Returns how many are open. */
uint32_t times_tree_open(const struct times_block *b, int32_t *ret_ids, uint32_t max);
/** The innermost `calls` open calls have ended. */
void times_tree_cut(struct times_block *b, uint32_t calls, int64_t now);
/** What `thread` stands for in rows is this thread. */
void times_tree_thread(int64_t tid, uint32_t thread);
/** The thread has ended: its open calls end now. Called on the thread itself. */
void times_tree_end(int64_t tid, int64_t now);

/** The methods that paths are told apart by at least; UINT32_MAX: whole paths. */
uint32_t times_tree_window(void);
/**
 * Copy all nodes while the threads go on, for a recording that has joined. `*ret_rows` is
 * malloc'ed, the caller frees it. Errors: 0, -ENOMEM.
 */
int times_tree_read(const struct times_reading *how, struct times_row **ret_rows,
                    uint32_t *ret_count);
/** What the calls took that have ended in this run, by method, below `methods`; *ret is all zero.
 */
void times_tree_read_spreads(struct times_method_spread *ret, uint32_t methods);
/** Calls that are counted nowhere: of threads without an id, or without memory for their stack. */
uint64_t times_tree_lost(void);
/** Nodes of paths in use. */
uint32_t times_tree_nodes(void);
