/*
 * asgst_ready.c - wait until walks work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgst_ready.h>
#include "asgst/asgst_helper.h"
#include "asgst/asgst_vm.h"
#include <time.h>
#include "safe/clock.h"

enum { LOOK_NS = NS_PER_MS };

int ASGST_WaitUntilReady(int timeout_ms)
{
    if (asgst_helper_start() < 0)
        return 0;
    for (int ms = 0;; ms++) {
        enum asgst_vm_state vm = asgst_vm_try();
        if (vm == ASGST_VM_READY || vm == ASGST_VM_UNKNOWN)
            return vm == ASGST_VM_READY ? 1 : -1;
        if (timeout_ms >= 0 && ms >= timeout_ms)
            return 0;
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
}
