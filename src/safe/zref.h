/*
 * zref.h - from a reference as generational ZGC stores it to an address.
 *
 * Which collection last saw a reference is written into bits below its address; on x86-64 the
 * address begins right above the one bit of four that is set, so each reference itself says how far
 * to shift. Source: zAddress.hpp (ZPointerRemappedShift, ZPointerLoadShiftTable). Context of
 * everything here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"

#define ZREF_REMAPPED_SHIFT 12u

/** `shift` is the VM's own at some moment: it holds for all references where it never changes. */
static inline uint64_t zref_address(enum hs_cpu cpu, uint32_t shift, uint64_t word)
{
    uint32_t remapped = (uint32_t)(word >> ZREF_REMAPPED_SHIFT) & 0xf;
    if (cpu != HS_CPU_X86_64 || remapped == 0)
        return word >> shift;
    return word >> (ZREF_REMAPPED_SHIFT + 1 + (uint32_t)__builtin_ctz(remapped));
}
