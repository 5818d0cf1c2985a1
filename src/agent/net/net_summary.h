/*
 * net_summary.h - the heap summary for a peer that asks for it while no engine counts objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct agent;

/**
 * Count the objects in the heap and their bytes as live, also unreachable objects that a collection
 * would free. The counts of allocated objects stay 0. Errors: 0, or E_UNSUPPORTED. Context: java,
 * lock not held.
 */
int net_summary_count(struct agent *a, uint64_t ret_total[KIND_VALUES]);
