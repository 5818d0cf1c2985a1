/*
 * child.h - the program that `hprof run` runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Where JVMs look for options. */
#define CHILD_VARIABLE "JAVA_TOOL_OPTIONS"

/**
 * Runs `argv` (found in PATH) with JAVA_TOOL_OPTIONS set to `tool_options`, and waits for its end.
 *
 * Signals are the child's: SIGINT and SIGQUIT from the terminal reach it by themselves, those and
 * SIGTERM and SIGHUP sent to us by a process are passed on; we outlive it either way. SIGPIPE is
 * ignored from now on; the child has what we had.
 * Errors: >= 0: its exit status, 128 + signal if it died of one; negative, -errno: never started.
 */
int child_run(char *const *argv, const char *tool_options);
