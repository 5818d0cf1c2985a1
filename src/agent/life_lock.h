/*
 * life_lock.h - one beginning, end or change of what is measured at a time: of a load, a command, a
 * duration, a peer, the VM.
 *
 * Whoever begins something reads the options of all that runs without the agent's lock, so nobody
 * else may change them meanwhile. Taken before all other locks (base/lock_rank.def).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Context of all: java, no lock held. */
void life_lock_take(void);
/** Take it if it is free. For who is waited for by those that have it. */
bool life_lock_try(void);
void life_lock_give(void);
