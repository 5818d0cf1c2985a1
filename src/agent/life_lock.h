/*
 * life_lock.h - lets one begin, end or change of measuring happen at a time, no matter whether a
 * load, a command, a duration, a peer or the VM causes it.
 *
 * The beginning of a recording reads the options of all running recordings without the agent's
 * lock, so no other thread may change them meanwhile. This lock is taken before all other locks
 * (base/lock_rank.def).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Context of all functions here: java, no lock held. */
void life_lock_take(void);
/** Take the lock if it is free. For a thread that the holder of the lock may wait for. */
bool life_lock_try(void);
void life_lock_give(void);
