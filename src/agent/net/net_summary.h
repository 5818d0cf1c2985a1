/*
 * net_summary.h - the heap summary that a peer asks for where no engine counts objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct agent;

/**
 * Count the objects in the heap, and their bytes, as live; what was allocated stays 0. What a
 * collection would take away counts too. Errors: 0, or E_UNSUPPORTED. Context: java, lock not held.
 */
int net_summary_count(struct agent *a, uint64_t ret_total[EVENT_VALUES]);
