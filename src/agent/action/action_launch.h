/*
 * action_launch.h - the programs that triggers have started.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Reap the programs that have ended. Returns whether some still run. Context: the thread of
 * triggers. */
bool action_launch_reap(void);
