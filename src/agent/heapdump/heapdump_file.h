/*
 * heapdump_file.h - the file to which a heap dump goes.
 *
 * A dump goes either to the agent's file, which is lent to the child or to the walk inside the
 * pause, or to a temporary file without a name. When a dump in a temporary file is complete, its
 * bytes are copied into the agent's output.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct heapdump;

/**
 * Open the sink of the next dump: the agent's file, from its present end on, or a temporary file. A
 * temporary file is needed if the length of the dump must be known before it is sent (net=, a
 * pipe). Errors: 0 or negative.
 */
int heapdump_file_open(struct heapdump *d);
/** Use a temporary file without a name for this dump. Errors: 0; negative, and the status page's
 * `why` is set. */
int heapdump_file_own(struct heapdump *d);
/** Whether the agent's file is a pipe, a terminal or a device. Such a file cannot be positioned,
 * and a write may wait for a reader. */
bool heapdump_file_is_pipe(const struct heapdump *d);
/** Called before a fork: the agent's file gets another name until the dump is complete. */
void heapdump_file_set_aside(struct heapdump *d);
/** Lend the file to the writer of the dump. The turn comes when everything in front of the dump has
 * been written; with a temporary file it comes at once. */
void heapdump_file_lend(struct heapdump *d);
/** In the child: wait for the turn. Errors: 0; -ECANCELED: the parent has ended; the error of the
 * file. */
int heapdump_file_wait(struct heapdump *d);
/** Stop using the sink in this process: the child has it, or the dump has ended. */
void heapdump_file_leave(struct heapdump *d);
/** The dump has ended. If it is not complete, what was written is removed again. The lock is held.
 */
void heapdump_file_settle(struct heapdump *d, bool is_whole);
