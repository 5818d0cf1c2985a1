/*
 * action_launch.h - programs that triggers have started.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Take notice of those that have ended. Whether some have not. Context: the thread of triggers. */
bool action_launch_reap(void);
