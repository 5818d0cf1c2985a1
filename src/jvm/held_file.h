/*
 * held_file.h - a file without a name that the agent writes, and that this command holds open.
 *
 * This command opens the agent's descriptor again through /proc. Before that it checks that the
 * descriptor leads to a regular file of the JVM's user. A lock on the file tells the agent that
 * this command waits (agent/output/output_held.h). The lock ends with this process, however the
 * process ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

enum { HELD_FILE_NAMED = -1 };

struct agent_link;
struct attach;

/** The item that asks for such a file in the command `start`: ",held=y"; "" if /proc does not show
 * us the JVM's descriptors. */
const char *held_file_item(struct attach *a);
/** Opens the file of the recording that was begun last. Returns HELD_FILE_NAMED if the file has a
 * name. Errors: -errno, after saying why. Owner: the caller. */
int held_file_open(const struct agent_link *l);
/** If the file has a name: opens a descriptor that tells the agent that this command waits, as long
 * as it is open. -1: this is impossible, and only the recording's lease tells. Owner: the
 * caller. */
int held_file_wait(const struct agent_link *l);
/** Give the file a name in the JVM's /tmp. Errors: 0; -errno. Context: the process has the identity
 * of the JVM's user. */
int held_file_name(const struct attach *a, int fd, const char *name);
