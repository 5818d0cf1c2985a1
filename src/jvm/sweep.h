/*
 * sweep.h - removes files that a command left behind, because it was killed before it could fetch
 * or remove them.
 *
 * While a process writes a file or waits for it, the agent or the command locks the file, in any
 * JVM and container. A file without a lock that has not changed for a minute belongs to no process.
 * Most files have no name until they are complete (jvm/held_file.h); this is for the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Removes from a folder the user's own files with our names: a prefix for a heap, a recording or
 * an answer, 16 hexadecimal digits, then any text. Says so in the name of `who`, except for
 * answers. The folder stays open. */
void sweep_folder(const char *who, int folder);
