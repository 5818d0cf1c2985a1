/*
 * exempt.h - threads of the agent that are never sampled: native threads, and threads that work for
 * all engines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Exempt the calling thread; to be called before the thread does its work. Context: any. */
void exempt_begin(void);
/** End the exemption before the calling thread ends: the kernel may reuse its number. */
void exempt_end(void);
/** Whether the thread with this number is exempt. Context: any. */
bool exempt_has(int32_t tid);
