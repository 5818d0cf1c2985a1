/*
 * budget.h - the one place that divides the memory of mem=. The shares are in budget.def.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { BUDGET_PARTS = 64 }; /* mem= is counted in 64ths */

enum budget_share {
#define SHARE(name, parts, for_whom, what) BUDGET_##name,
#include "agent/budget.def"
#undef SHARE
    BUDGET_SHARES,
};

/** The bytes of one share if the options say mem=`mem_bytes`. Context: any. */
static inline uint64_t budget_bytes(uint64_t mem_bytes, enum budget_share share)
{
    static const uint8_t parts[BUDGET_SHARES] = {
#define SHARE(name, count, for_whom, what) [BUDGET_##name] = (count),
#include "agent/budget.def"
#undef SHARE
    };
    return mem_bytes / BUDGET_PARTS * parts[share];
}
