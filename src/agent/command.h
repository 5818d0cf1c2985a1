/*
 * command.h - what the agent is told by a line, and its answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct answer;

/**
 * Do what `line` says, an option string or a command (options/options_command.h), and say so in
 * `ret_answer`, which the caller has made empty; where answer= names a file, there too. Errors: 0,
 * or negative. Context: java.
 */
int command_take(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                 struct answer *ret_answer);
