/*
 * heapdump_file.h - where a heap dump goes: the agent's file, lent to the child or to the pause, or
 * a file without a name whose bytes follow when it is whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct heapdump;

/**
 * The sink of the dump that is about to be made: the agent's file, from where it ends now; or a
 * file of its own, where a length has to be known before (net=, a pipe). Errors: 0 or negative.
 */
int heapdump_file_open(struct heapdump *d);
/** A file without a name, for this dump alone. Errors: 0 or negative with the status' `why`. */
int heapdump_file_own(struct heapdump *d);
/** The agent's file is a pipe, a terminal, a device: no places to go back to, bytes when it likes.
 */
bool heapdump_file_is_pipe(const struct heapdump *d);
/** Before a fork: the file has another name until the dump is whole. */
void heapdump_file_set_aside(struct heapdump *d);
/** The turn comes when all that comes before is written; at once for a file of its own. */
void heapdump_file_lend(struct heapdump *d);
/** In the child: wait for the turn, as long as there is a parent. Errors: 0; -ECANCELED; the
 * file's. */
int heapdump_file_wait(struct heapdump *d);
/** The sink is nobody's any more: the child has it, or the dump has ended. */
void heapdump_file_leave(struct heapdump *d);
/** The dump has ended: what was written is whole, or it is nothing. The lock is held. */
void heapdump_file_settle(struct heapdump *d, bool is_whole);
