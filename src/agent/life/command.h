/*
 * command.h - carries out a line that the agent was given, and makes the answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct answer;

/**
 * Carry out `line`, an option string or a command (options/options_command.h). The answer goes to
 * `ret_answer`, which the caller has made empty, and also to the file that answer= names, if there
 * is one.
 * Errors: 0, or negative. Context: java.
 */
int command_take(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                 struct answer *ret_answer);
