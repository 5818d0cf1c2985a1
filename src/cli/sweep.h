/*
 * sweep.h - files under names of our own that a command left, which was killed before it could
 * bring or remove them.
 *
 * A file that somebody still writes is locked by the agent, in whatever JVM or container that is;
 * one that has no lock and has not changed for a minute is nobody's.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Remove from a folder the user's own files whose names are `prefix`, 16 hexadecimal digits and
 * anything, and say so in the name of `command`. The folder stays open. */
void sweep_folder(const char *command, int folder, const char *prefix);
