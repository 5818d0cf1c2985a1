/*
 * child.h - the program that `hprof run` runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** The environment variable in which JVMs look for options. */
#define CHILD_VARIABLE "JAVA_TOOL_OPTIONS"

/**
 * Runs `argv` (found in PATH) with JAVA_TOOL_OPTIONS set to `tool_options`, and waits for its end.
 *
 * The child decides about signals. SIGINT and SIGQUIT from the terminal reach the child by
 * themselves. If a process sends SIGINT, SIGQUIT, SIGTERM or SIGHUP to this command, the command
 * passes the signal on. In all these cases this command lives longer than the child. SIGPIPE is
 * ignored from now on, but the child gets the earlier setting.
 *
 * Errors: >= 0: the child's exit status, or 128 + signal if a signal ended the child; negative,
 * -errno: the child was never started.
 */
int child_run(char *const *argv, const char *tool_options);
