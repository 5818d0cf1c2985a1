/*
 * hs_top.c - the CPUs that hs_top.h knows: each CPU has one row here and one file of its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hs_top.h"

const struct hs_top_cpu *const hs_top_cpus[HS_CPU_COUNT] = {
    [HS_CPU_X86_64] = &hs_top_x86_64,
    [HS_CPU_AARCH64] = &hs_top_aarch64,
};
