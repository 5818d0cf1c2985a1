/*
 * emulated.h - leaves a case out where an emulator runs the tests (docs/aarch64.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cmocka_all.h"
#include <stdlib.h>

/** Call this first in a case that needs what the emulator does not have; `lacks` is said. */
static inline void not_emulated(const char *lacks)
{
    if (!getenv("HPROF_EMULATED"))
        return;
    print_message("not under emulation: %s\n", lacks);
    skip();
}
