/*
 * left_behind.h - what `hprof run` says of programs that go on when its command has ended.
 *
 * A script may start a server and end; the daemon of a build tool may own the program. A JVM that
 * has begun to record stands in the manifest; one that is still being started is known by the
 * manifest's name in the environment of its process. A recording is good so far as it goes when its
 * JVM was killed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct manifest;

/** Say for each what becomes of its recording. Whether there is any. Context: the manifest has been
 * read, and its file is there. */
bool left_behind_say(const struct manifest *m);
/** Of processes that have ended and not finished what they had begun: say so, and take it for
 * finished. For files that are whole at any time. */
void left_behind_take_killed(struct manifest *m);
