/*
 * sweep.h - files under names of our own that a command left, which was killed before it could
 * bring or remove them.
 *
 * A file that somebody still writes or waits for is locked, by the agent or the command, in
 * whatever JVM or container that is; one that has no lock and has not changed for a minute is
 * nobody's. Most files have no name until they are whole (cli/held_file.h): this is for the others.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Remove from a folder the user's own files whose names are one of ours: a heap, a recording, an
 * answer; 16 hexadecimal digits; anything. Says so of all but answers, in the name of `who`. The
 * folder stays open. */
void sweep_folder(const char *who, int folder);
