/*
 * notcore.h - says what a file is that the user named as a core file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Says what the file is instead of a core. */
void notcore_say(const char *path);
/** Whether the file begins as a core file does. */
bool notcore_is_core(const char *path);
