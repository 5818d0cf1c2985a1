/*
 * debug_on.h - `hprof run --debug-on`: starts JVMs with a debugging agent that waits for an event.
 *
 * The agent is the JDK's own (-agentlib:jdwp), with its options onthrow=, onuncaught= and onjcmd=.
 * With the first two, the agent must start a program and tell it where the JVM waits; that program
 * is `hprof debug --stopped`.
 * Source: OpenJDK debugInit.c; serviceability of JDK 8 to 27.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The help text of --debug-on. */
#define DEBUG_ON_HELP                                                                              \
    "have a debugger attach when it happens: throw=CLASS, uncaught, or command ('hprof debug')"

/**
 * The JVM option for `what`, in quotation marks for JAVA_TOOL_OPTIONS. `port` 0: any free port.
 * Returns malloc'ed text; NULL after saying why.
 */
char *debug_on_option(const char *what, uint32_t port);
/** The words that debug_on_option() takes; "throw=" is followed by a class. NULL: there is none
 * with this index. */
const char *debug_on_word(unsigned i);
/** Whether `what` needs a debugging agent that only some JDKs have. */
bool debug_on_needs_onjcmd(const char *what);
/**
 * Whether a JDK has that agent. `command` is the JDK's java program, found as a shell finds it.
 * Returns 1; 0: not known, for example if `command` is a script; negative after saying why not.
 */
int debug_on_check(const char *command);
