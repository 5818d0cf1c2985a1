/*
 * flags_outside.h - prints the flags of a VM that is read without its help, as `jcmd VM.flags`
 * prints them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct outside_vm;

/** Print the flags that were set, in one line; `is_all`: all flags, each in its line. Returns an
 * exit status, after saying why it is not 0. */
int flags_outside_print(const struct outside_vm *vm, bool is_all);
/** Print one flag as it stands on a command line. Returns as above. */
int flags_outside_print_one(const struct outside_vm *vm, const char *name);
