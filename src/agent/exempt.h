/*
 * exempt.h - threads of the agent that are not Java's, or work for all: nobody samples them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The calling thread is one of them. To be called before it works. Context: any. */
void exempt_begin(void);
/** The calling thread ends: its number may be another's. */
void exempt_end(void);
/** Whether the thread of that number is one of them. Context: any. */
bool exempt_has(int32_t tid);
