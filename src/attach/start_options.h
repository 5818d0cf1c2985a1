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
#include <sys/types.h>

/** Whether a word of them is `option`. */
bool start_options_have(pid_t task, const char *option);
/** Whether -XX:+NAME is among them, and no -XX:-NAME behind it. */
bool start_options_have_flag(pid_t task, const char *name);
