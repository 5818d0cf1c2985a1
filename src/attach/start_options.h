/*
 * start_options.h - options with which a JVM was started, as far as /proc tells.
 *
 * Two sources are read: the command line up to the main class, and the variables of the first
 * environment from which the launcher and the VM take options. Options in files (@FILE, -XX:Flags=)
 * are not seen. `task` is that of struct process. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Texts as /proc has them: strings one behind the other, with a 0 behind the last one. */
struct start_options_text {
    const char *line, *environment;
    size_t line_len, environment_len;
};

/** Whether a word of the options is `option`. */
bool start_options_have(pid_t task, const char *option);
/** Whether, among the words that are `on` or `off`, the last one is `on`. `off` may be NULL. */
bool start_options_last_is(const struct start_options_text *t, const char *on, const char *off);
/** Whether the options have -XX:+NAME and no -XX:-NAME behind it. */
bool start_options_have_flag(pid_t task, const char *name);
