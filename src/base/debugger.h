/*
 * debugger.h - the JDK's debugging agent, libjdwp.so, as a file: which options it has.
 *
 * A JVM whose agent does not know an option does not start, so this is asked before. The words of
 * its options stand in its bytes; no number of a release tells as much, since onjcmd= came to JDK
 * 11 in an update. Source: OpenJDK debugInit.c. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** What starts the agent without listening; VM.start_java_debugging has it listen. */
#define DEBUGGER_ONJCMD "onjcmd"

/**
 * Whether the agent in `folder` has the option. Returns 1 or 0; -errno: it is not there or cannot
 * be read. Context: any.
 */
int debugger_find_option(const char *folder, const char *option);
/** Why `folder`'s agent cannot wait for a command, as it was answered: a line in `ret`. */
void debugger_why_not(const char *folder, int answer, char *ret, size_t size);
