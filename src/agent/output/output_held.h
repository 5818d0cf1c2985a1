/*
 * output_held.h - the file of a recording that a command waits for; the file has no name.
 *
 * The command opens the file by the descriptor that it is told (/proc/PID/fd/N), and holds a shared
 * lock of its own on it. So no file is left when the command or the JVM is killed, or both. When
 * that lock is gone, the agent knows that nobody waits any more, even if the command was in another
 * namespace. If the file system has no files without a name, the file gets a name, and the agent's
 * own lock is shared too. Then the file may be left, and the next command removes it
 * (jvm/agent_link.h). Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct newfile;

struct output_held {
    bool is_wanted;  /* set before the file is made */
    bool is_unnamed; /* the file has no name */
    bool is_held;    /* a command is told the descriptor */
    bool was_seen;   /* a command has held the file; read and written by several threads */
};

/** Make a file without a name in the folder of `path`, if it is wanted and can be made. */
bool output_held_open(struct output_held *h, const char *path, mode_t mode, struct newfile *ret);
/** Lock the file `fd`, which is ours and has a name: without a lock a command may remove it. */
void output_held_lock(struct output_held *h, int fd);
/** Whether a command has held the file `fd`, and none holds it now. */
bool output_held_is_left(struct output_held *h, int fd);
