/*
 * command.h - carries out a line that the agent was given, and makes the answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>

struct agent;

enum { COMMAND_ANSWER = 4096 }; /* with its newline */

/** The one line that answers a command. An answer that would be longer is cut. */
struct command_answer {
    size_t len;
    char text[COMMAND_ANSWER];
};

/**
 * Carry out `line`, an option string or a command (options/options_command.h). The answer goes to
 * `ret_answer`, which the caller has made empty, and also to the file that answer= names, if there
 * is one.
 * Errors: 0, or negative. Context: java.
 */
int command_take(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                 struct command_answer *ret_answer);
