/*
 * left_behind.h - the programs that go on after the command of `hprof run` has ended, and the JVMs
 * of build tools, which it does not profile.
 *
 * For example, a script may start a server and end, or the daemon of a build tool may run the
 * program. The manifest lists each JVM that has begun to record. A JVM that is still starting is
 * found by the manifest's name in the environment of its process. If a JVM was killed, its
 * recording can be read up to that moment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct manifest;

/** Say what happens to the recording of each such JVM. Returns whether there is one. Context: the
 * manifest has been read, and its file still exists. */
bool left_behind_say(const struct manifest *m);
/** Say which processes have ended without finishing their recordings, and count these as finished.
 * Only for files that are readable at any time. */
void left_behind_take_killed(struct manifest *m);
/** The names of the build tools whose JVMs were left alone, as in "Maven (process 4711) and Gradle
 * (process 4712)". Owner: the caller frees it; NULL: no JVM was left alone, or no memory. */
char *left_behind_tools(const struct manifest *m);
