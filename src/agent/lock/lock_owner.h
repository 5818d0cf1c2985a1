/*
 * lock_owner.h - finds the thread that owns a monitor from what the VM says (vm/vm_monitor.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct agent;

/**
 * The thread for an owner value (vm_monitor_owner()); 0: no known thread. Needs the agent's lock.
 */
thread_id lock_owner_thread(struct agent *a, uint64_t owner);
