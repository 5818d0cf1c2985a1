/*
 * lock_owner.h - which thread has a monitor, by what the VM says of it (vm/vm_monitor.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct agent;

/** The thread that an owner (vm_monitor_owner()) stands for; 0: none that is known. Needs the
 * agent's lock. */
thread_id lock_owner_thread(struct agent *a, uint64_t owner);
