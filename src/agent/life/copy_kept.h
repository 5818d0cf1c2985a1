/*
 * copy_kept.h - keeps the file of this library, if it is a copy made by a command, while a JVM has
 * it loaded.
 *
 * Commands put copies below a folder .hprof-UID (jvm/agent_place.h). A process that has the copy
 * loaded, or that tells others to load it, holds a shared lock on the file (flock(2), which works
 * across all namespaces). A process that gets the exclusive lock may remove the file. A library at
 * another place is never removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** This library was loaded: lock its file, if the file is such a copy. Context: any, not signal. */
void copy_kept_take(void);
/**
 * This library will not be called again: remove its file unless another process has locked it.
 * Context: any, not signal.
 */
void copy_kept_give(void);
