/*
 * times_watch.h - timesboth=y, of the agent of the tests: a second table beside that of cpu=times.
 *
 * It has the calls and the own time of each method, kept apart from the paths and their room: by a
 * stack of each thread that takes nothing from the first table but when calls began and ended. At
 * the end it is the file "timesboth.txt". SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct times_block;

/** Begin, for numbers of methods below `methods`. Errors: 0, -ENOMEM. */
int times_watch_start(uint32_t methods);
/** A call has begun: the innermost one of the block. Does nothing before times_watch_start(). */
void times_watch_enter(struct times_block *b);
/** What times_tree_unwind() has done. */
void times_watch_unwind(struct times_block *b, int64_t place, int leaves, int64_t now);
/** What times_tree_spend() has done. */
void times_watch_spend(struct times_block *b, int64_t time);
/** The thread has ended. */
void times_watch_end(struct times_block *b, int64_t now);
/** Write the file; a call costs `inside` ns and, in its caller, `outside`. */
void times_watch_write(double unit_ns, double inside, double outside);
