/*
 * start_options.h - options that a JVM was started with, as far as /proc tells.
 *
 * Its command line is read up to the main class, and the variables of its first environment from
 * which the launcher and the VM take options. What stands in files (@FILE, -XX:Flags=) is not
 * seen. `task`: of struct process. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Texts as /proc has them: strings one behind the other, and a 0 behind the last one. */
struct start_options_text {
    const char *line, *environment;
    size_t line_len, environment_len;
};

/** Whether a word of them is `option`. */
bool start_options_have(pid_t task, const char *option);
/** Whether the last word of these options that is `on` or `off` is `on`; `off` may be NULL. */
bool start_options_last_is(const struct start_options_text *t, const char *on, const char *off);
/** Whether -XX:+NAME is among them, and no -XX:-NAME behind it. */
bool start_options_have_flag(pid_t task, const char *name);
