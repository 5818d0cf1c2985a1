/*
 * debugger.h - which options the JDK's debugging agent has, read from its file libjdwp.so.
 *
 * A JVM does not start when its agent does not know an option, so the caller asks here first. The
 * names of the options are strings in the file. The release number of the JDK is not enough,
 * because onjcmd= came to JDK 11 in an update.
 * Source: OpenJDK debugInit.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** The option that starts the agent without a connection; the JVM's command VM.start_java_debugging
 * opens the connection later. */
#define DEBUGGER_ONJCMD "onjcmd"

/**
 * Whether the agent in `folder` has the option.
 *
 * Errors:  1 or 0; -errno: the file is missing or cannot be read. Context: any.
 */
int debugger_find_option(const char *folder, const char *option);
/** Write one line into `ret`: why the agent in `folder` cannot wait for a command. `answer` is what
 * debugger_find_option() returned. */
void debugger_why_not(const char *folder, int answer, char *ret, size_t size);
