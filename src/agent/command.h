/*
 * command.h - what a second load of the agent into the same JVM is told to do, and its answer.
 *
 * Grammar: options/options_command.h. The answer is one line: "hprof/1 ok WORD NAME=VALUE ...", or
 * "hprof/1 error REASON TEXT". It goes into the file that answer= names, before the load returns.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/** Do what `line` says, an option string or a command. Errors: 0, or negative. Context: java. */
int command_run(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line);
