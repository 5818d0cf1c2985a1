/*
 * times_counter.h - the processor's counter, which some clocks of cpu=times count by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** What it counts now; 0 where the processor has none. Context: any. */
int64_t times_counter_read(void);
/** Whether all processors count the same, at one rate, in every state. Context: any. */
bool times_counter_is_safe(void);
