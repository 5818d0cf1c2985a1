/*
 * life_lock.c - see life_lock.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life_lock.h"
#include "base/lock.h"

static struct lock lock = LOCK_INIT(LIFE);

void life_lock_take(void)
{
    lock_take(&lock);
}

bool life_lock_try(void)
{
    return lock_try(&lock);
}

void life_lock_give(void)
{
    lock_give(&lock);
}
