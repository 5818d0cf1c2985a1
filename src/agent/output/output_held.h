/*
 * output_held.h - the file of a recording that a command waits for, which has no name.
 *
 * The command opens it by the descriptor that it is told (/proc/PID/fd/N), and holds it by a shared
 * lock of its own. So nothing stays when the command or the JVM is killed, or both; and that the
 * lock is gone tells that nobody waits any more, in whatever namespace the command was. Where the
 * file system has no files without a name, it has one, and the agent's own lock is shared, too:
 * then the file stays, for the next command to remove (cli/sweep.h).
 * Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct newfile;

struct output_held {
    bool is_wanted;  /* before the file is made */
    bool is_unnamed; /* it has no name */
    bool is_held;    /* a command is told its descriptor */
    bool was_seen;   /* somebody has held it; read and written by several threads */
};

/** Make a file without a name in the folder of `path`, if it is wanted and can be made. */
bool output_held_open(struct output_held *h, const char *path, mode_t mode, struct newfile *ret);
/** The file `fd` is ours and has a name: a command may remove it, if it has no lock. */
void output_held_lock(struct output_held *h, int fd);
/** Whether somebody has held the file `fd`, and nobody does now. */
bool output_held_is_left(struct output_held *h, int fd);
