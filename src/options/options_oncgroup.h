/*
 * options_oncgroup.h - the value of the trigger oncgroup=.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** The share that "75%" names, in percent; 0: the text names no share from 1 to 99 percent. */
uint32_t options_oncgroup_percent(const char *what);
