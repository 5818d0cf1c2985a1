/*
 * copy_kept.h - a copy of this library that a command has put into a folder stays there as long as
 * a JVM has it loaded.
 *
 * Commands put it below a folder .hprof-UID (cli/agent_place.h). Who has it loaded, or tells others
 * to load it, holds a shared lock on the file (flock(2), which is seen from all namespaces); who
 * gets it alone may remove the file. A library that lies elsewhere is nobody's to remove.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** This library is loaded: keep its file, if it is such a copy. Context: any, not signal. */
void copy_kept_take(void);
/** It will not be called again: remove the file unless somebody else keeps it. Context: as above.
 */
void copy_kept_give(void);
