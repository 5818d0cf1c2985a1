/*
 * debug_on.h - `hprof run --debug-on`: the JDK's debugging agent, which sleeps until something
 * happens.
 *
 * It is the JDK's own (-agentlib:jdwp) with its options onthrow=, onuncaught= and onjcmd=. Of the
 * first two it wants a program that is told where the JVM waits: that is this command again.
 * Source: OpenJDK debugInit.c; serviceability of JDK 8 to 27. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** What is between the words of the row. */
#define DEBUG_ON_HELP                                                                              \
    "have a debugger attach when it happens: throw=CLASS, uncaught, or command ('hprof debug')"

/**
 * The option of the JVM for `what`, in quotation marks for JAVA_TOOL_OPTIONS, malloc'ed. `port` 0:
 * any that is free. Errors: NULL after saying why.
 */
char *debug_on_option(const char *what, uint32_t port);
/** Whether it needs a debugging agent that only some JDKs have. */
bool debug_on_needs_onjcmd(const char *what);
/**
 * Whether the JDK whose program `command` is, as a shell finds it, has that agent. Returns 1; 0: it
 * cannot be known, as of a script; negative after saying why not.
 */
int debug_on_check(const char *command);
