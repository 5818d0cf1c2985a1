/*
 * held_file.h - a file without a name that the agent writes for this command, which holds it.
 *
 * The descriptor is the agent's, opened anew through /proc: what it leads to is looked at before,
 * and must be the JVM's own. The lock on it tells the agent that somebody waits
 * (agent/output/output_held.h); it goes with this process, however that ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

enum { HELD_FILE_NAMED = -1 };

struct agent_link;
struct attach;

/** What start is told of it, behind a comma; "" where /proc shows nobody what the JVM has open. */
const char *held_file_item(struct attach *a);
/** The file of the recording that was begun last, if it has no name, else HELD_FILE_NAMED. Errors:
 * -errno, after saying why. Owner: the caller. */
int held_file_open(const struct agent_link *l);
/** Where that one has a name: tells the agent all the same that somebody waits, as long as the
 * descriptor is open. -1: it cannot be; then the recording's lease tells. Owner: the caller. */
int held_file_wait(const struct agent_link *l);
/** Give it a name in the JVM's /tmp. Errors: 0; -errno. Context: as the user of the JVM. */
int held_file_name(const struct attach *a, int fd, const char *name);
