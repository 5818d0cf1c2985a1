/*
 * times_watch.h - timesboth=y, only in the agent of the tests: a second table beside that of
 * cpu=times.
 *
 * The second table has the calls and the own time of each method, kept independently of the paths
 * and their memory. A stack of each thread uses nothing of the first table except when calls began
 * and ended. At the end the table is written to the file "timesboth.txt".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_block;

/** Begin, for methods with numbers below `methods`. Errors: 0, -ENOMEM. */
int times_watch_start(uint32_t methods);
/** The innermost call of the block has begun. Does nothing before times_watch_start(). */
void times_watch_enter(struct times_block *b);
/** Repeat what times_tree_unwind() has done. */
void times_watch_unwind(struct times_block *b, int64_t place, int leaves, int64_t now);
/** Repeat what times_tree_spend() has done. */
void times_watch_spend(struct times_block *b, int64_t time);
/** The thread has ended. */
void times_watch_end(struct times_block *b, int64_t now);
/** Write the file. A call costs `inside` ns in itself and `outside` ns in its caller. */
void times_watch_write(double unit_ns, double inside, double outside);
