/*
 * hs_top_aarch64.c - interrupted Java threads on aarch64.
 *
 * Not written yet: it gives no start, so a walk from registers in Java code fails with its cause,
 * and only walks from the VM's anchor work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top.h"

static void find_nothing(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s)
{
}

const struct hs_top_cpu hs_top_aarch64 = {find_nothing, find_nothing, find_nothing};
