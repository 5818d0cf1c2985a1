/*
 * notcore.h - what a file is that was given as a core, and may be none.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Say what it is instead. */
void notcore_say(const char *path);
/** Whether a file begins as a core does. */
bool notcore_is_core(const char *path);
